import type { OpenApiDocument } from '../openapi/openapi.js';
import { sampleOf } from '../openapi/sample.js';
import { html, prose, type Markup } from './markup.js';
import { badge, operationSection, type DocumentedOperation } from './operation.js';

export const STYLE_PATH = '/docs/style.css';
export const SCRIPT_PATH = '/docs/search.js';

/**
 * The reference of all operations as one HTML page; works without scripts and loads nothing from other hosts. Not Swagger
 * UI: a browser cannot send a GET with a body, which this API has, and its package contains telemetry.
 */
export function docsPage(document: OpenApiDocument): string {
  const { title, version, description } = document.info;
  const documented = operationsOf(document);
  const tags = document.tags.map(({ name }) => ({
    name,
    operations: documented.filter(({ operation }) => operation.tags.includes(name)),
  }));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} ${version}</title>
        <link rel="stylesheet" href="${STYLE_PATH}" />
        <script src="${SCRIPT_PATH}" defer></script>
      </head>
      <body>
        <nav aria-label="Operations">
          <a class="title" href="#top">${title} ${version}</a>
          <input type="search" id="search" placeholder="Search" aria-label="Search this page" hidden />
          <p id="found" role="status"></p>
          ${tags.map(({ name, operations }) => navPart(name, operations))}
        </nav>
        <main id="top">
          <h1>${title} ${version}</h1>
          <p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
          ${prose(description)} ${EXAMPLES}
          ${tags.map(
            ({ name, operations }) =>
              html`<h2 id="${anchorOf(name)}">${headingOf(name)}</h2>
                ${operations.map((operation) => operationSection(operation, document))}`,
          )}
        </main>
      </body>
    </html> `.text;
}

/** How to use the examples: as they are in a shell, where the token is set, or with the token written into them. */
const EXAMPLES = html`<section id="examples">
  <h2>Examples</h2>
  <p>
    The examples below can be pasted into a shell. Set your API token first, and for calls of terminals the
    token of a device:
  </p>
  <pre id="variables" data-token="${sampleToken()}">
BASE_URL=http://127.0.0.1:4000
TOKEN=${sampleToken()}
DEVICE_TOKEN=${sampleToken()}</pre>
  <p id="fill" hidden>
    <label for="token">Or enter it here. It is written into the examples and stays in this page.</label>
    <input id="token" autocomplete="off" spellcheck="false" />
  </p>
</section>`;

function sampleToken(): string {
  return String(sampleOf({ type: 'string' }, {}, 'api_token'));
}

function operationsOf({ paths }: OpenApiDocument): readonly DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}

function navPart(name: string, operations: readonly DocumentedOperation[]): Markup {
  const links = operations.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId}">${badge(method)} ${operation.summary}</a></li>`,
  );
  return html`<h2><a href="#${anchorOf(name)}">${headingOf(name)}</a></h2>
    <ul>
      ${links}
    </ul>`;
}

function anchorOf(name: string): string {
  return name.replaceAll(' ', '-');
}

function headingOf(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
