import * as g from '../../../graphql/index.js';
import { MAX_RESPONSE_TEXTS } from '../../people/company/company.model.js';
import { RESPONSE_CODES, type ResponseCode } from './response-code.model.js';
import { responseCodes } from './response-code.service.js';

const MAX_CODES = RESPONSE_CODES.length + MAX_RESPONSE_TEXTS;

const ResponseCodeType = g.objectType<ResponseCode>(
  'ResponseCode',
  'A response code of authorizers, as in `statusReason` of payments and summaries, in words.',
  {
    code: g.text('Code, for example 51.'),
    english: g.text('Its meaning in English, for example Insufficient funds.'),
    portuguese: g.text('Its meaning in Portuguese, for example Saldo insuficiente.'),
    isOwn: g.flag('True for a text of the company, which is the same in both languages.'),
  },
);

export const responseCodeGraphql = g.query('responseCodes', {
  field: g.object.list(
    ResponseCodeType,
    `The codes of field 39 of ISO 8583 and those with a text of the company (\`companySetResponseText\`), ascending. Adds ${MAX_CODES} records to the cost of the operation.`,
  ),
  counts: MAX_CODES,
  resolve: (_source, ctx) => ctx.read('read', responseCodes),
});
