// A slider of JupyterLab writes its value into the line that it belongs to, and what the kernel shows anew finds its place.
//
// `lab` gives this file to JupyterLab as it stands, as an extension that is already built. The kernel cannot edit a cell; it says on the
// comm that is opened here which values a cell has run with (`kernel/jupyter/src/lines.rs`).
//
// JupyterLab replaces an output only where this page has seen it come: not after a reload, and not in a cell that was moved. The kernel's
// outputs name their ids in their metadata, which are saved, so that they are found here by these.

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

  const all = outputs => Array.from({ length: outputs.length }, (_, at) => outputs.get(at));
  const display = output => output.metadata?.workbench?.display;

  /** Whether the page shows that the outputs of a cell were computed with this value: it does not if it was saved before the cell ran. */
  function shows(outputs, name, value) {
    const knobs = all(outputs).flatMap(output => output.metadata?.workbench?.knobs ?? []);
    return knobs.some(knob => !knob.cell && knob.name === name && knob.value === value);
  }

  /** Writes values into the lines of a cell, where `ran` is told only into one that says that still; what these say now. */
  function write(model, lines) {
    const wasDirty = model.isDirty;
    const said = lines.map(({ name, value, ran }) => {
      let line = find(model.sharedModel.getSource(), name);
      if (line && line.value !== value && (ran ?? line.value) === line.value && shows(model.outputs, name, value)) {
        model.sharedModel.updateSource(line.start, line.end, value);
        line = find(model.sharedModel.getSource(), name);
      }
      return { name, value: line?.value ?? null };
    });
    // The text is the one that ran.
    if (!wasDirty) model.isDirty = false;
    return said;
  }

  /** A value as text, the same whatever the order of its keys: a file has them sorted. */
  function text(value) {
    const sorted = part => Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    return JSON.stringify(value, (_, part) => (part?.constructor === Object ? sorted(part) : part));
  }

  /** Puts an output where the one with its id stands, unless JupyterLab has done so. */
  function replace(models, { data, metadata }) {
    const { display: id, cell, count, knobs } = metadata.workbench;
    for (const { outputs } of models) {
      const at = all(outputs).findIndex(output => display(output) === id);
      if (at < 0) continue;
      const old = outputs.get(at);
      if (text([old.data, old.metadata]) !== text([data, metadata])) outputs.set(at, { output_type: 'display_data', data, metadata });
      return;
    }
    // A note that was empty is not in the file. It is made anew below the outputs of its run, once it says something or a line is to be
    // written.
    const model = cell && models.find(model => model.id === cell);
    const isNew = ({ cell, name, value }) => !cell && find(model.sharedModel.getSource(), name)?.value !== value;
    if (!model || !(data['text/plain'] || knobs.some(isNew))) return;
    const ids = all(model.outputs).map(display).filter(Boolean);
    const run = id.replace(/with$/, '');
    const isOfRun = ids.length ? ids.some(id => id.startsWith(run)) : model.executionCount === count;
    if (isOfRun) model.outputs.add({ output_type: 'display_data', data, metadata });
  }

  /** Offers the kernel of a notebook to write lines: once it is there, and again when one that was started anew shows knobs. */
  function offer(panel, session) {
    let comm = null;
    const models = () => panel.content.widgets.map(cell => cell.model).filter(model => model.type === 'code');
    const open = () => {
      const kernel = session.session?.kernel;
      if (kernel?.name !== 'workbench' || (comm && !comm.isDisposed)) return;
      comm = kernel.createComm(TARGET);
      comm.onMsg = ({ content: { data } }) => {
        const model = models().find(model => model.id === data.cell);
        if (model) comm.send({ cell: data.cell, lines: write(model, data.lines) });
      };
      comm.open();
    };
    session.ready.then(open);
    session.iopubMessage.connect((_, { header, content }) => {
      if (header.msg_type === 'comm_open' && content.target_name === 'jupyter.widget') open();
      if (header.msg_type === 'update_display_data' && content.metadata.workbench?.display) replace(models(), content);
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
