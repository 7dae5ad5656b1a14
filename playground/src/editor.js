// The editor: CodeMirror with the three languages. It lives in a shadow root, where CodeMirror adopts constructed style
// sheets; in the page itself it would write style elements, which the Content-Security-Policy refuses. Colours come in
// through custom properties.
//
// Tab indents, as in any editor of code. Escape, then Tab leaves it: CodeMirror's own way out (WCAG 2.1.2).

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { javascript } from "@codemirror/legacy-modes/mode/javascript";
import { python } from "@codemirror/legacy-modes/mode/python";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const LANGUAGES = {
  python: [StreamLanguage.define(python), indentUnit.of("    ")],
  javascript: [StreamLanguage.define(javascript), indentUnit.of("  ")],
  bash: [StreamLanguage.define(shell), indentUnit.of("  ")],
};

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: [tags.comment, tags.meta], color: "var(--code-comment)" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName), tags.className], color: "var(--code-name)" },
  { tag: [tags.standard(tags.variableName), tags.propertyName, tags.attributeName], color: "var(--code-builtin)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", fontSize: "var(--code-size)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)", padding: "10px 0" },
  ".cm-gutters": { background: "none", border: "none", color: "var(--faint)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.6em", padding: "0 10px 0 8px" },
  ".cm-activeLine": { backgroundColor: "var(--line)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--match)" },
});

// Chromium gives what is typed over a selection the colours of what was there, by style attributes: the
// Content-Security-Policy refuses them, and the highlighter has colours of its own.
function replaceSelection(event, view) {
  if (event.inputType !== "insertText" || !event.data || view.composing || view.state.selection.main.empty) {
    return false;
  }
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
  event.preventDefault();
  return true;
}

export class Editor {
  #view;
  #run;

  constructor(parent, run) {
    this.#run = run;
    const root = parent.attachShadow({ mode: "open", delegatesFocus: true });
    this.#view = new EditorView({ parent: root, root });
  }

  get text() {
    return this.#view.state.doc.toString();
  }

  /** A new program, without the history of the one before. */
  show(language, text) {
    this.#view.setState(
      EditorState.create({
        doc: text,
        extensions: [
          keymap.of([{ key: "Mod-Enter", run: () => (this.#run(), true) }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
          history(),
          lineNumbers(),
          highlightActiveLine(),
          highlightSpecialChars(),
          bracketMatching(),
          indentOnInput(),
          LANGUAGES[language],
          syntaxHighlighting(colours),
          theme,
          EditorView.domEventHandlers({ beforeinput: replaceSelection }),
          EditorView.contentAttributes.of({
            "aria-label": "Program text. Escape, then Tab leaves the editor.",
            autocapitalize: "off",
            autocorrect: "off",
            spellcheck: "false",
          }),
        ],
      }),
    );
  }
}
