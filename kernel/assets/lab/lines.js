// A slider of JupyterLab writes its value into the line that it belongs to.
//
// `lab` gives this file to JupyterLab as it stands, as an extension that is already built. The kernel cannot edit a cell; it says on the
// comm that is opened here which values a cell has run with (`kernel/jupyter/src/lines.rs`).

(() => {
  const TARGET = 'workbench.lines';

  /** Where the value stands of the one knob with this name; nothing where there is none, or several. */
  function find(source, name) {
    const line = new RegExp(`^([ \\t]*let\\s+(?:mut\\s+)?${name}\\s*(?::[^=\\n]*)?=\\s*)(.*?)\\s*;[ \\t]*// knob `, 'gmu');
    const found = [...source.matchAll(line)];
    if (found.length !== 1) return null;
    const [{ index, 1: before, 2: value }] = found;
    return { start: index + before.length, end: index + before.length + value.length, value };
  }

  /** Whether the page shows that the outputs of a cell were computed with this value: after a reload it does not follow the kernel. */
  function shows(outputs, name, value) {
    const all = Array.from({ length: outputs.length }, (_, at) => outputs.get(at).metadata?.workbench?.knobs ?? []);
    return all.flat().some(knob => !knob.cell && knob.name === name && knob.value === value);
  }

  /** Writes values into the lines of a cell; what these say now. */
  function write(model, lines) {
    const wasDirty = model.isDirty;
    const said = lines.map(({ name, value }) => {
      let line = find(model.sharedModel.getSource(), name);
      if (line && line.value !== value && shows(model.outputs, name, value)) {
        model.sharedModel.updateSource(line.start, line.end, value);
        line = find(model.sharedModel.getSource(), name);
      }
      return { name, value: line?.value ?? null };
    });
    // The text is the one that ran.
    if (!wasDirty) model.isDirty = false;
    return said;
  }

  /** Offers the kernel of a notebook to write lines: once it is there, and again when one that was started anew shows knobs. */
  function offer(panel, session) {
    let comm = null;
    const open = () => {
      const kernel = session.session?.kernel;
      if (kernel?.name !== 'workbench' || (comm && !comm.isDisposed)) return;
      comm = kernel.createComm(TARGET);
      comm.onMsg = ({ content: { data } }) => {
        const cell = panel.content.widgets.find(cell => cell.model.id === data.cell);
        if (cell) comm.send({ cell: data.cell, lines: write(cell.model, data.lines) });
      };
      comm.open();
    };
    session.ready.then(open);
    session.iopubMessage.connect((_, { header, content }) => {
      if (header.msg_type === 'comm_open' && content.target_name === 'jupyter.widget') open();
    });
  }

  const plugin = {
    id: 'workbench-knobs:lines',
    description: 'Writes the value of a slider into its line.',
    autoStart: true,
    activate: app => {
      app.docRegistry.addWidgetExtension('Notebook', {
        createNew: (panel, context) => offer(panel, context.sessionContext),
      });
    },
  };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB['workbench-knobs'] = {
    init: () => {},
    get: () => Promise.resolve(() => ({ __esModule: true, default: plugin })),
  };
})();
