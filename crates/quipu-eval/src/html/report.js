const words = document.getElementById("words"), only = document.getElementById("only"), shown = document.getElementById("shown");
const questions = [...document.querySelectorAll("details.question")];
function filter() {
  const text = words.value.trim().toLowerCase();
  let count = 0;
  for (const question of questions) {
    const fits = (!only.checked || question.dataset.right !== "yes") && (!text || question.textContent.toLowerCase().includes(text));
    question.hidden = !fits;
    count += fits;
  }
  shown.textContent = count + " of " + questions.length;
}
words.addEventListener("input", filter);
only.addEventListener("change", filter);
filter();
