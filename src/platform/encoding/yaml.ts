/** Documents of YAML or JSON that people write: desired states of a fleet, scenarios of the simulator. */
import { type Document, isScalar, parseDocument, visit } from 'yaml';

/** A text that is no document. The message is a sentence for the person who wrote it. */
export class DocumentProblem extends Error {
  override readonly name = 'DocumentProblem';
}

const TOO_DEEP = 'The document is nested too deeply.';
const SENTENCES: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'There must be one document, not several.',
  RESOURCE_EXHAUSTION: TOO_DEEP,
};

/** The value of a document. Keys are read as they are written: `0042` is no number. Errors: `DocumentProblem`. */
export function valueOfDocument(text: string): unknown {
  try {
    // Its own check compares each key of a map with all others.
    const document = parseDocument(text, { uniqueKeys: false });
    const [error] = document.errors;
    if (error) throw new DocumentProblem(SENTENCES[error.code] ?? error.message.trimEnd());
    keepKeys(document, text);
    const value: unknown = document.toJS();
    if (value == null) throw new DocumentProblem('The document is empty.');
    JSON.stringify(value);
    return value;
  } catch (error) {
    if (error instanceof TypeError) throw new DocumentProblem('A part of the document refers to itself.');
    if (error instanceof RangeError) throw new DocumentProblem(TOO_DEEP);
    // An alias without its anchor, or one that is used too often.
    throw error instanceof ReferenceError ? new DocumentProblem(error.message) : error;
  }
}

/** Makes each key the text that stands in the document. */
function keepKeys(document: Document.Parsed, text: string): void {
  visit(document, {
    Map: (_key, { items, range }) => {
      const names = new Set<string>();
      for (const { key } of items) {
        const refuse = (problem: string): never => {
          const [at = 0] = (isScalar(key) ? key.range : range) ?? [];
          throw new DocumentProblem(`Line ${text.slice(0, at).split('\n').length}: ${problem}`);
        };
        if (!isScalar(key)) return refuse('the name of a value must be a text.');
        const name = key.source ?? '';
        if (names.has(name)) refuse(`"${name}" is given twice.`);
        names.add(name);
        key.value = name;
      }
      return undefined;
    },
  });
}
