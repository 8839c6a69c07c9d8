
"use strict";
// Adds a filter over the cases. Without it everything is there all the same.
(function () {
  var box = document.getElementById("filter");
  var input = box.querySelector("input");
  var output = box.querySelector("output");
  var cases = Array.from(document.querySelectorAll("#cases .case")).map(function (element) {
    var line = element.querySelector("summary") || element;
    return { element: element, text: line.textContent.toLowerCase() };
  });
  var groups = Array.from(document.querySelectorAll("#cases .group")).map(function (element) {
    return { element: element, open: element.open };
  });
  function narrow() {
    var words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    cases.forEach(function (one) {
      var fits = words.every(function (word) { return one.text.includes(word); });
      one.element.hidden = !fits;
      shown += fits ? 1 : 0;
    });
    groups.forEach(function (group) {
      var any = group.element.querySelector(".case:not([hidden])") !== null;
      group.element.hidden = !any;
      group.element.open = words.length === 0 ? group.open : any;
    });
    output.textContent = words.length === 0 ? "" : shown + " of " + cases.length;
  }
  input.addEventListener("input", narrow);
  box.hidden = false;
})();
