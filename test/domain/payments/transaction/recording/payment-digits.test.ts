import { describe, expect, it } from 'vitest';

import { scrubPayment } from '../../../../../src/domain/payments/transaction/recording/transaction-recording.rules.js';
import { ParsedPayment } from '../../../../../src/domain/payments/transaction/transaction.model.js';
import { payment } from '../records.js';

const VISA = '4111111111111111';

function scrubbed(parsed: Record<string, unknown>) {
  return scrubPayment(ParsedPayment.parse(payment(parsed).parsed));
}

describe('AT-28 truncation of a payment', () => {
  it.each([
    ['411111', '1111', '411111', '1111', 0],
    ['4111111', '11111', '411111', '1111', 2],
    ['41111111', '0005', '411111', '0005', 1],
    [VISA, VISA, '411111', '1111', 2],
    ['4111', '5', '4111', '5', 0],
  ])('of first %s and last %s keeps %s and %s', (firstDigits, lastDigits, first, last, scrubs) => {
    const result = scrubbed({ card: { firstDigits, lastDigits } });
    expect(result.value.card).toMatchObject({ firstDigits: first, lastDigits: last });
    expect(result.scrubs).toBe(scrubs);
  });

  it.each(['41111a', '4111 11', '411111******1111', '4'.repeat(20)])('refuses %s as digits', (digits) => {
    for (const field of ['firstDigits', 'lastDigits']) {
      expect(ParsedPayment.safeParse(payment({ card: { [field]: digits } }).parsed).success).toBe(false);
    }
  });

  it('masks card data in fields that are for other data', () => {
    const { value } = scrubbed({ nsu: VISA, metadata: { raw: `${VISA}=2512101`, cvv2: '123' } });
    expect(value).toMatchObject({
      nsu: '411111******1111',
      metadata: { raw: '411111******1111=*******', cvv2: '***' },
    });
  });

  it('keeps an NSU of 15 digits and the number of a company, which can look like cards', () => {
    const merchant = { id: '1', document: '36000009000140', name: 'x' };
    const { value, scrubs } = scrubbed({ nsu: '378282246310005', merchant });
    expect([value.nsu, scrubs]).toEqual(['378282246310005', 0]);
  });

  it('does not change a payment without card data, not even the order of its fields', () => {
    const parsed = ParsedPayment.parse(payment({ nsuReference: '000100' }).parsed);
    expect(JSON.stringify(scrubPayment(parsed))).toBe(JSON.stringify({ value: parsed, scrubs: 0 }));
  });
});
