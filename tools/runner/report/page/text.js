// Blocks of text: code with a button that copies it, and what an attempt left.

function copyButton(text) {
  const button = el("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      // Without the permission the reader copies by hand: the text is selected.
      getSelection().selectAllChildren(button.nextElementSibling);
      button.textContent = "Selected";
    }
    say(button.textContent);
  });
  return button;
}

function code(text, title) {
  const block = el("pre", { tabindex: "0", "aria-label": title }, text);
  return el("div", { class: "code" }, copyButton(text), block);
}

function titled(title, text) {
  return text ? [el("h4", {}, title), code(text, title)] : [];
}

function folded(title, text) {
  return text ? el("details", {}, el("summary", {}, title), code(text, title)) : null;
}

function attemptLine(attempt, number) {
  const why = attempt.cause ? `; ${attempt.cause}` : "";
  const time = seconds(Math.round(attempt.seconds * 1000));
  return `attempt ${number}: ${attempt.outcome}, ${attempt.how || "in its session"}, ${time}${why}`;
}

// What is known of a test that needs a look: the failing input first.
function evidence(details) {
  const bad = details.attempts.filter((attempt) => toneOf(attempt.outcome) !== "good");
  const shown = bad[0] || details.attempts[0];
  const parts = [];
  if (details.note) parts.push(el("p", { class: "note" }, details.note));
  if (details.quarantined) parts.push(el("p", { class: "note" }, details.quarantined));
  parts.push(...titled("What went wrong", shown.detail));
  parts.push(...titled("Paste to reproduce", shown.snippet));
  parts.push(...titled("Run it again", details.rerun));
  details.attempts.forEach((attempt, index) => {
    parts.push(el("p", { class: "attempt" }, attemptLine(attempt, index + 1)));
    if (attempt !== shown) parts.push(folded("message", attempt.detail));
    parts.push(folded("stacks of all threads", attempt.stacks), folded("output", attempt.output));
  });
  return parts.filter(Boolean);
}

const toneOf = (name) => data.outcomes.find((kind) => kind.name === name)?.tone || "bad";
