import type { OpenApiDocument } from '../openapi/openapi.js';
import type { OpenApiOperation } from '../openapi/operation.js';
import { sampleOf } from '../openapi/sample.js';
import { resolve, type Schema, type Schemas } from '../openapi/schema.js';
import { fieldTable, typeOf } from './fields.js';
import { html, inline, prose, table, type Markup } from './markup.js';

/** An operation with its place in the document. */
export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** One operation: description, parameters, body, a curl command and the responses. */
export function operationSection(documented: DocumentedOperation, document: OpenApiDocument): Markup {
  const { method, path, operation } = documented;
  const words = [method, path, operation.summary, ...operation.tags].join(' ');
  const paragraphs = operation.description.split('\n\n');
  const scopeText = paragraphs.pop() ?? '';
  const scope = operation['x-scope'] ?? '';
  return html`<section
    class="operation"
    id="${operation.operationId}"
    data-words="${words}"
    data-scope="${scope}"
  >
    <h3>
      ${badge(method)} <code>${path}</code> <a href="#${operation.operationId}">${operation.summary}</a>
    </h3>
    ${prose(paragraphs.join('\n\n'))}
    <p class="scope">${inline(scopeText)}</p>
    ${parameterTable(operation)} ${bodyPart(operation, document)}
    <h4>Example</h4>
    <pre class="command">${commandOf(documented)}</pre>
    ${responsePart(operation, document)}
  </section>`;
}

export function badge(method: string): Markup {
  return html`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function parameterTable({ parameters }: OpenApiOperation): Markup {
  if (parameters.length === 0) return html``;
  const rows = parameters.map(
    ({ name, in: location, description, schema }) =>
      html`<tr>
        <td><code>${name}</code></td>
        <td>${location}</td>
        <td>${typeOf(schema)}</td>
        <td>
          ${inline(description)}${schema.default === undefined ? '' : ` ${JSON.stringify(schema.default)} if absent.`}
        </td>
      </tr>`,
  );
  return html`<h4>Parameters</h4>
    ${table(['Name', 'In', 'Type', 'Meaning'], rows)}`;
}

function bodyPart({ requestBody }: OpenApiOperation, { components }: OpenApiDocument): Markup {
  if (requestBody === undefined) return html``;
  const [schema] = Object.values(requestBody.content).map((content) => content.schema);
  const kinds = Object.keys(requestBody.content).map((kind) => html` <code>${kind}</code>`);
  return html`<h4>Body <span class="kinds">${kinds}</span></h4>
    ${prose(requestBody.description ?? '')} ${fieldTable(schema ?? {}, components.schemas, 'required')}`;
}

function responsePart({ responses }: OpenApiOperation, { components }: OpenApiDocument): Markup {
  const resolved = Object.entries(responses).map(([status, response]) => {
    const target =
      '$ref' in response ? components.responses[response.$ref.split('/').at(-1) ?? ''] : response;
    return {
      status,
      description: target?.description ?? '',
      content: Object.entries(target?.content ?? {})[0],
    };
  });
  const success = resolved.find(({ status }) => status.startsWith('2'));
  const [type = '', { schema = {} } = {}] = success?.content ?? [];
  const sample = sampleOf(schema, components.schemas);
  const errors = resolved.filter(({ status }) => status >= '400');
  return html`<h4>
      Response ${success?.status ?? ''} <span class="kinds"><code>${type}</code></span>
    </h4>
    <pre>${typeof sample === 'string' ? sample : JSON.stringify(sample, null, 2)}</pre>
    <details>
      <summary>Fields</summary>
      ${responseFields(schema, components.schemas)}
    </details>
    <details>
      <summary>Errors: ${errors.map(({ status }) => status).join(', ')}</summary>
      <dl>
        ${errors.map(
          ({ status, description }) =>
            html`<dt>${status}</dt>
              <dd>${inline(description)}</dd>`,
        )}
      </dl>
    </details>`;
}

function responseFields(schema: Schema, schemas: Schemas): Markup {
  const form = schema.anyOf?.[0] ?? schema;
  return fieldTable(form.type === 'array' ? resolve(form.items ?? {}, schemas) : form, schemas, 'none');
}

/** A shell command for the example. */
function commandOf({ method, path, operation }: DocumentedOperation): string {
  const query = operation.security === undefined ? '?access_token=$TOKEN' : '';
  const filled = operation.parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((url, { name, example }) => url.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const verb = method === 'GET' ? '' : `-X ${method} `;
  const file = isUpload(operation) ? `printf '%s' 'Hello' | ` : '';
  const call = `${file}curl ${verb}"$BASE_URL${filled}${query}"`;
  return [call, ...tokenArguments(operation), ...bodyArguments(method, operation)].join(' \\\n  ');
}

/** Terminals send their token in a header only. A stream of events is shown as it comes. */
function tokenArguments({ security = [], responses }: OpenApiOperation): string[] {
  const isOfTerminal = security.some((scheme) => 'device_token' in scheme);
  const isStream = JSON.stringify(responses[200] ?? {}).includes('text/event-stream');
  return [...(isOfTerminal ? ['-H "Authorization: Bearer $DEVICE_TOKEN"'] : []), ...(isStream ? ['-N'] : [])];
}

function isUpload({ requestBody: body }: OpenApiOperation): boolean {
  return body !== undefined && Object.keys(body.content)[0] === 'multipart/form-data';
}

function bodyArguments(method: string, operation: OpenApiOperation): string[] {
  const { requestBody: body } = operation;
  if (body === undefined) return [];
  // The file is read from the standard input.
  if (isUpload(operation)) return ["-F 'asset=@-;filename=hello.txt'", "-F 'description=A greeting'"];
  const [[type, content] = ['', undefined]] = Object.entries(body.content);
  const example = JSON.stringify(content?.example ?? {}).replaceAll("'", `'\\''`);
  return [
    ...(method === 'GET' ? ['-X GET'] : []),
    ...(type === 'application/json' ? [] : [`-H 'Content-Type: ${type}'`]),
    `-d '${example}'`,
  ];
}
