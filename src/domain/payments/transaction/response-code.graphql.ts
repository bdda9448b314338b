import * as g from '../../../graphql/index.js';
import { RESPONSE_CODES, type ResponseCode } from './response-code.model.js';

const ResponseCodeType = g.objectType<ResponseCode>(
  'ResponseCode',
  'A response code of authorizers, as in `statusReason` of payments and summaries, in words.',
  {
    code: g.text('Code, for example 51.'),
    english: g.text('Its meaning in English, for example Insufficient funds.'),
    portuguese: g.text('Its meaning in Portuguese, for example Saldo insuficiente.'),
  },
);

export const responseCodeGraphql = g.query('responseCodes', {
  field: g.object.list(
    ResponseCodeType,
    `The codes of field 39 of ISO 8583, ascending. Acquirers use others besides them. Adds ${RESPONSE_CODES.length} records to the cost of the operation.`,
  ),
  counts: RESPONSE_CODES.length,
  resolve: () => RESPONSE_CODES,
});
