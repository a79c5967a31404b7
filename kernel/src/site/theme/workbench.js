document.addEventListener("DOMContentLoaded", () => {
  // Tables and outputs that are wider than the page can be reached, and scrolled, with the keyboard.
  for (const part of document.querySelectorAll("div.output, div.highlight pre, .pst-scrollable-table-container, div.math")) {
    if (part.scrollWidth > part.clientWidth && !part.hasAttribute("tabindex")) {
      part.tabIndex = 0;
    }
  }
  // The claim that a graph is about stands in its middle.
  const toFocus = () => {
    for (const picture of document.querySelectorAll(".wb-picture")) {
      const focus = picture.querySelector(".wb-focus");
      if (focus && picture.clientWidth > 0) {
        const inside = focus.getBoundingClientRect();
        const frame = picture.getBoundingClientRect();
        picture.scrollLeft += inside.left + inside.width / 2 - frame.left - frame.width / 2;
        picture.scrollTop += inside.top + inside.height / 2 - frame.top - frame.height / 2;
      }
    }
  };
  document.querySelectorAll(".wb-depths input").forEach((choice) => choice.addEventListener("change", toFocus));
  toFocus();
});
