/** A text of HTML, as opposed to plain text, which must be escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | Markup | readonly Markup[];

/** Template tag for HTML; escapes every part that is not `Markup`. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(String.raw({ raw: texts }, ...parts.map(render)));
}

function render(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return escape(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

export function table(headings: readonly string[], rows: readonly Markup[]): Markup {
  return html`<table>
    <thead>
      <tr>
        ${headings.map((heading) => html`<th>${heading}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** HTML of paragraphs (separated by empty lines) with `code` and **strong** words. */
export function prose(text: string): readonly Markup[] {
  if (text === '') return [];
  return text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
}

export function inline(text: string): readonly Markup[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (piece.startsWith('`')) return html`<code>${piece.slice(1, -1)}</code>`;
    if (piece.startsWith('**')) return html`<strong>${piece.slice(2, -2)}</strong>`;
    return html`${piece}`;
  });
}
