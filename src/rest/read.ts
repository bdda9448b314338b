import type { ReadWork, Units } from '../database/work.js';
import type { Answers, ReadWith } from '../http/answers/answers.js';
import { TOKEN_PARAMETER } from '../http/credential.js';
import type { Caller } from '../platform/caller.js';
import type { ReceivedRequest } from './call.js';
import { renderResponse, type RenderedResponse } from './response.js';
import type { Call, ReadRoute } from './route.js';

interface Reading {
  readonly route: ReadRoute;
  readonly call: Call;
  readonly options: { readonly units: Units; readonly answers: Answers };
}

/** The response to a request that only reads: one that was made for the same request, if nothing has changed since. */
export async function performRead(
  received: ReceivedRequest,
  caller: Caller,
  { route, call, options: { units, answers } }: Reading,
): Promise<RenderedResponse> {
  const make = async (readWith: ReadWith) => {
    const read = (work: ReadWork) => route.read(readWith(work), call);
    const response = renderResponse(await units.read(caller, read, { examines: 'when_needed' }));
    const [text = ''] = response.parts;
    return { response, text: response.content === null ? text : null };
  };
  const question = questionOf(received);
  const { response } =
    question === null ? await make((work) => work) : await answers.to(question, caller, make);
  return response;
}

/** What a request asks for, without the token; null if it has a body. */
function questionOf({ route: { method, path }, values, query, body }: ReceivedRequest): string | null {
  if (body.bytes.length > 0) return null;
  const given = [...query].filter(([name]) => name !== TOKEN_PARAMETER);
  return `/v1 ${method} ${path} ${JSON.stringify([values, given])}`;
}
