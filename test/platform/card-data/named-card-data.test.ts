import { describe, expect, it } from 'vitest';

import { scrubJson, scrubText } from '../../../src/platform/card-data/card-data.js';

const SECRETS = `cvv, CVV2, cvc, CVC2, cvn, iCVV, cardCvv, card_cvv, csc, security code, securityCode,
  card verification value, verification_number, código de segurança, codigoSeguridad,
  codigo de verificacao, código de verificación, pin, PIN, cardPin, pin_block, PIN-BLOCK, pinBlock,
  encrypted pin, bloco de PIN, senha, track1, Track 2, TRACK-3, track2Data, trackTwo, track data,
  track2_equivalent_data, trilha 1, trilha2, pista 2, magStripe, DE35, de_36, field45, bit-52,
  Campo 55, F52, data element 052, DE052`.split(/,\s+/);
const NUMBERS =
  `pan, PAN, cardPan, pan_number, card number, cardNumber, card_no, numero do cartao, número_cartão,
  numCartao, numero de la tarjeta, primaryAccountNumber, DE2, field_02, bit 2`.split(/,\s+/);
/** No number of a card: only its name says so. */
const NUMBER = '1234567890123456';
const ASSIGNMENTS = [
  ['=', ';'],
  [': ', ' x'],
  ['":"', '"'],
  ['\\":\\"', '\\"'],
  ['>', '<'],
  ['","value":"', '"'],
] as const;

describe('AT-27 values of fields by their names', () => {
  it.each(SECRETS)('%s', (name) => {
    for (const [before, after] of ASSIGNMENTS) {
      expect(scrubText(`a ${name}${before}9876${after}`).value).toBe(`a ${name}${before}****${after}`);
    }
    expect(scrubJson({ [name]: '9876', nsu: '9876' }).value).toEqual({ [name]: '****', nsu: '9876' });
    expect(scrubJson({ [name]: 9876 }).value).toEqual({ [name]: '****' });
    expect(scrubJson({ [name]: { value: ['ABC', 12] } }).value).toEqual({ [name]: { value: ['***', '**'] } });
    expect(scrubJson({ name, value: '9876' }).value).toEqual({ name, value: '****' });
    const inner = `a=1;${name.normalize('NFC').replaceAll(/[^ -~]/g, 'o')}=9876;b=2;filler`;
    if (inner.includes(name)) {
      expect(scrubText(Buffer.from(inner).toString('base64')).scrubs).toBe(1);
      expect(scrubText(Buffer.from(inner).toString('hex')).scrubs).toBe(1);
      expect(scrubText(encodeURIComponent(inner)).scrubs).toBe(1);
    }
  });

  it.each(NUMBERS)('%s', (name) => {
    for (const [before, after] of ASSIGNMENTS) {
      expect(scrubText(`a ${name}${before}${NUMBER}${after}`).value).toBe(
        `a ${name}${before}123456******3456${after}`,
      );
    }
    expect(scrubJson({ [name]: NUMBER }).value).toEqual({ [name]: '123456******3456' });
    expect(scrubJson({ [name]: Number(NUMBER) }).value).toEqual({ [name]: '123456******3456' });
    expect(scrubJson({ [name]: '411111******1111' }).scrubs).toBe(0);
  });

  const PIN = '04A1B2C3D4E5F607';
  it.each([
    `"52":"${PIN}"`,
    `{"0":"0200","52": "${PIN}","70":"001"}`,
    `<field id="52" value="${PIN}"/>`,
    `{"id":52,"value":"${PIN}"}`,
  ])('ISO 8583 fields by their mere number: %s', (text) => {
    expect(scrubText(text)).toEqual({ value: text.replace(PIN, '*'.repeat(16)), scrubs: 1 });
  });

  it('ISO 8583 fields by their mere number in JSON', () => {
    expect(scrubJson({ 52: PIN, 70: '001' }).value).toEqual({ 52: '*'.repeat(16), 70: '001' });
    expect(scrubJson({ id: 52, value: PIN }).value).toEqual({ id: 52, value: '*'.repeat(16) });
  });

  it.each([
    'pinpad: 8.30, PINPAD: 9, pin_pad: 1, spinning: 12, opinion: 123, company: 123',
    'track: shipping, trackingNumber: 123456, soundtrack: 3',
    'cvv result matched, "cvv":null, pin: ok, pin_length=4, cvv_result=M',
    '{"35":3,"52":"ok","55":12.5,"45":"short"}',
    'a partir de 35: nada; total de 55: ok; page 45: end; idade 52: 12',
    'codigo de barras: 123, codigo de resposta: 00, response code: 00, securityLevel: 3',
    'pan: 4111, card number: 1234, step 2: 1234567890123',
  ])('does not change %s', (text) => {
    expect(scrubText(text)).toEqual({ value: text, scrubs: 0 });
  });

  it('does not cut a character of two UTF-16 units', () => {
    expect(scrubText('cvv=1🙂;').value).toBe('cvv=***;');
    expect(scrubText(`B4111111111111111^ab^${'x'.repeat(59)}🙂y`).value).toBe(
      `B411111******1111^${'*'.repeat(64)}y`,
    );
  });
});
