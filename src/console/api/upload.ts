import { createRequest, stringifyDocument } from 'urql';

import { connection } from './client';
import type { Document } from './query';

/**
 * Sends a mutation with one file, the variable at `path` such as `input.file`, and reports the share that is sent, 0 to 1.
 * `fetch` reports none. Errors: `Error` with the message of the server.
 */
export async function upload<Data, Variables>(
  document: Document<Data, Variables>,
  variables: Variables,
  { path, file, onProgress, signal }: Upload,
): Promise<Data> {
  const form = new FormData();
  const query = stringifyDocument(createRequest(document.toString(), {}).query);
  form.set('operations', JSON.stringify({ query, variables }));
  form.set('map', JSON.stringify({ file: [`variables.${path}`] }));
  form.set('file', file, file.name);
  const request = new XMLHttpRequest();
  request.open('POST', '/graphql');
  request.setRequestHeader('apollo-require-preflight', 'true');
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
  signal?.addEventListener('abort', () => request.abort());
  return await new Promise<Data>((resolve, reject) => {
    request.onerror = () => {
      connection.setOnline(false);
      reject(new Error('offline'));
    };
    request.onabort = () => reject(new DOMException('stopped', 'AbortError'));
    request.onload = () => {
      if (request.status === 401) connection.signedOut();
      const { data, errors } = (request.response ?? {}) as {
        data?: Data | null;
        errors?: { message: string }[];
      };
      if (data) resolve(data);
      else reject(new Error(errors?.[0]?.message ?? `HTTP ${request.status}`));
    };
    request.send(form);
  });
}

interface Upload {
  readonly path: string;
  readonly file: File;
  readonly onProgress: (share: number) => void;
  readonly signal?: AbortSignal;
}
