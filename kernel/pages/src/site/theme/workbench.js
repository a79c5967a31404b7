/* A claim's graph to another depth. The numbers stand in the page, what the boxes say in a script of the whole site. */
const workbench = {
  halfWidth: 84,
  halfHeight: 21,

  // As the first picture is drawn: each piece of a line leaves and arrives level.
  curve(from, to, passed) {
    const columns = passed.length + 1;
    const points = passed.map((y, k) => [from[0] + ((to[0] - from[0]) * (k + 1)) / columns, y]);
    let [x, y] = [from[0] + this.halfWidth, from[1]];
    let path = `M${x} ${y}`;
    for (const [nextX, nextY] of [...points, [to[0] - this.halfWidth, to[1]]]) {
      const half = (nextX - x) / 2;
      path += `c${half} 0 ${half} ${nextY - y} ${nextX - x} ${nextY - y}`;
      [x, y] = [nextX, nextY];
    }
    return path;
  },

  svg([width, height, boxes, lines], claim, root) {
    const place = (k) => boxes.slice(3 * k + 1, 3 * k + 3);
    const paths = ["", ""];
    for (const [from, to, ...passed] of lines) {
      const near = [from, to].some((k) => boxes[3 * k] === claim);
      paths[near ? 1 : 0] += this.curve(place(from), place(to), passed);
    }
    let inside = `<path class="wb-line" d="${paths[0]}"/><path class="wb-line wb-near" d="${paths[1]}"/>`;
    for (let k = 0; 3 * k < boxes.length; k += 1) {
      const [id, classes, title, words] = window.workbenchGraph[boxes[3 * k]];
      const [x, y] = place(k);
      const focus = boxes[3 * k] === claim ? " wb-focus" : "";
      inside += `<a href="${root}claims/${id}.html" class="wb-node ${classes}${focus}" transform="translate(${x - this.halfWidth} ${y - this.halfHeight})">`
        + `${title ? `<title>${title}</title>` : ""}${words}</a>`;
    }
    return `<svg class="wb-graph" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="group">${inside}</svg>`;
  },

  // The claim that a graph is about stands in its middle.
  toFocus(picture) {
    const focus = picture.querySelector(".wb-focus");
    if (focus) {
      const [inside, frame] = [focus.getBoundingClientRect(), picture.getBoundingClientRect()];
      picture.scrollLeft += inside.left + inside.width / 2 - frame.left - frame.width / 2;
      picture.scrollTop += inside.top + inside.height / 2 - frame.top - frame.height / 2;
    }
  },

  names(root) {
    this.loading ??= new Promise((loaded, failed) => {
      const script = document.createElement("script");
      [script.src, script.onload, script.onerror] = [`${root}_static/graph.js`, loaded, failed];
      document.head.append(script);
    });
    return this.loading;
  },

  async choose(picture, pictures, depth) {
    const { root, claim } = picture.dataset;
    await this.names(root);
    const label = picture.querySelector("svg").getAttribute("aria-label");
    picture.innerHTML = this.svg(pictures[depth], Number(claim), root);
    picture.querySelector("svg").setAttribute("aria-label", label);
    this.toFocus(picture);
  },
};

// What is wider than the page can be reached, and scrolled, with the keyboard.
function reach(parts) {
  for (const part of document.querySelectorAll(parts)) {
    if (part.scrollWidth > part.clientWidth && !part.hasAttribute("tabindex")) {
      part.tabIndex = 0;
    }
  }
}

document.addEventListener("DOMContentLoaded", () => {
  reach("div.output, div.highlight pre, .pst-scrollable-table-container, div.math");
  for (const part of document.querySelectorAll(".wb-depths")) {
    const picture = part.querySelector(".wb-picture");
    const pictures = JSON.parse(part.querySelector("script").textContent);
    part.addEventListener("change", (event) => workbench.choose(picture, pictures, Number(event.target.value)));
  }
  document.querySelectorAll(".wb-picture").forEach((picture) => workbench.toFocus(picture));
});

// Equations have their width when they are set.
window.addEventListener("load", () => {
  window.MathJax?.startup?.promise?.then(() => reach('mjx-container[display="true"]'));
});
