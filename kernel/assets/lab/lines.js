// A slider of JupyterLab writes its value into the line that it belongs to.
//
// `lab` gives this file to JupyterLab as it stands, as an extension that is already built. The kernel cannot edit a cell; it says on the
// comm that is opened here which values a cell has run with (`kernel/jupyter/src/lines.rs`).

(() => {
  const TARGET = 'workbench.lines';

  /** Colours of errors, and the arrow of a list, that can be seen: JupyterLab has one set of them for light and dark. */
  const STYLE = `
    body[data-jp-theme-light='false'] {
      --jp-widgets-dropdown-arrow: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18'%3E%3Cpath fill='%23e0e0e0' d='M5.2 5.9 9 9.7l3.8-3.8 1.2 1.2-5 5-5-5z'/%3E%3C/svg%3E");
    }
    ${[
      ['red', '#a3151d', '#ff9c94'],
      ['green', '#00601e', '#7fdc8a'],
      ['yellow', '#6e4a00', '#f0c85a'],
      ['blue', '#0050a4', '#9cc8ff'],
      ['magenta', '#8a1c8f', '#f0a8f0'],
      ['cyan', '#005b66', '#7fdbe6'],
    ].map(([name, light, dark]) => {
      const text = `.jp-RenderedText pre :is(.ansi-${name}-fg, .ansi-${name}-intense-fg)`;
      return `body ${text} { color: ${light}; } body[data-jp-theme-light='false'] ${text} { color: ${dark}; }`;
    }).join('\n')}`;

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
      document.head.append(Object.assign(document.createElement('style'), { textContent: STYLE }));
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
