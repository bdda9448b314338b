import type { CommunicationFormat, Kind, Language } from '../domain/software/app/app.model.js';

/** An app; `label` is its text in the menu of terminals, null if it is not in the menu. */
function app(
  name: string,
  [language, communicationFormat]: readonly [Language, CommunicationFormat],
  label: string | null,
  description: string,
  versions: readonly string[],
  kind: Kind = 'standard',
) {
  return { name, language, communicationFormat, label, description, versions, kind };
}

export type AppPlan = ReturnType<typeof app>;

const module = (
  name: string,
  language: Language,
  description: string,
  versions: readonly string[],
): AppPlan => app(name, [language, 'http'], null, description, versions, 'module');

const ACME = {
  name: 'Acme Pagamentos',
  domain: 'acme.example',
  timeZone: 'America/Sao_Paulo',
  currency: 'BRL',
  acquirer: 'acme',
  groups: [
    'Lojas Centro',
    'Lojas Zona Sul',
    'Postos BR-101',
    'Restaurantes',
    'Farmácias',
    'Feiras e eventos',
    'AREA 51',
    'Homologação',
  ],
  apps: [
    module('emv-kernel', 'ruby', 'Chip and contactless kernel.', ['4.3.0', '4.3.1']),
    module('receipt-printer', 'posxml', 'Prints receipts on thermal paper.', ['1.2.0']),
    app('checkout', ['ruby', 'iso8583'], 'Vender', 'Card payments, in instalments too.', [
      '2.9.4',
      '3.0.0',
      '3.1.0',
    ]),
    app('prepaid', ['posxml', 'http'], 'Recarga', 'Top-up of prepaid phones.', ['1.0', '1.1']),
    app('pix', ['ruby', 'iso20022'], 'Pix', 'Instant payments with a QR code.', ['0.9.0', '1.0.0']),
    app('diagnostics', ['posxml', 'http'], null, 'Signal, battery and printer checks for technicians.', [
      '5',
    ]),
  ],
  files: [
    'logo.bmp',
    'emv_params.dat',
    'ca_keys.bin',
    'receipt.tpl',
    'font_8x16.fnt',
    'tones.wav',
    'menu_pt.json',
  ],
  merchants: [
    { id: '000000010011', document: '11222333000181', name: 'Padaria Aurora' },
    { id: '000000010029', document: '11222333000262', name: 'Livraria do Porto' },
    { id: '000000010037', document: '11222333000343', name: 'Posto Três Irmãos' },
    { id: '000000010045', document: '11222333000424', name: 'Cantina da Nona' },
    { id: '000000010053', document: '11222333000505', name: 'Farmácia São Bento' },
    { id: '000000010061', document: '11222333000696', name: 'Empório Verde' },
  ],
  terminals: 190,
  /** Number of devices without a logical number that have never reported. */
  spares: 14,
  transactions: 2_400,
};

export type CompanyPlan = typeof ACME;

const BETA: CompanyPlan = {
  name: 'Beta Cards',
  domain: 'beta.example',
  timeZone: 'Europe/Lisbon',
  currency: 'EUR',
  acquirer: 'beta',
  groups: ['Shops', 'Taxis', 'Pilot'],
  apps: [
    module('contactless', 'ruby', 'Contactless kernel.', ['2.0.1']),
    app('payment', ['posxml', 'iso8583'], 'Sale', 'Card payments.', ['7.4', '7.5']),
    app('gift-card', ['ruby', 'http'], 'Gift card', 'Sale and redemption of gift cards.', ['1.0.0']),
  ],
  files: ['logo.bmp', 'emv_params.dat', 'receipt.tpl'],
  merchants: [
    { id: '900000000017', document: '44555666000181', name: 'Corner Books' },
    { id: '900000000025', document: '44555666000262', name: 'City Taxi 12' },
    { id: '900000000033', document: '44555666000343', name: 'Harbour Café' },
  ],
  terminals: 60,
  spares: 5,
  transactions: 600,
};

export const COMPANY_PLANS: readonly CompanyPlan[] = [ACME, BETA];

/** Each with the beginning of its serial numbers. */
export const MODELS = [
  { brand: 'Ingenico', model: 'Move5000', prefix: 'IM5', media: ['gprs', 'wifi'], os: '22.05.1' },
  { brand: 'Verifone', model: 'V240m', prefix: 'VV2', media: ['gprs'], os: '31.6.0' },
  { brand: 'PAX', model: 'A920', prefix: 'PA9', media: ['wifi', 'gprs'], os: '7.1.2' },
  { brand: 'PAX', model: 'S920', prefix: 'PS9', media: ['gprs'], os: '2.7.84' },
  { brand: 'Gertec', model: 'MP35P', prefix: 'GM3', media: ['ethernet', 'gprs'], os: '1.18' },
];

export type ModelPlan = (typeof MODELS)[number];

/** Card schemes with the first 6 digits of their test cards; full card numbers are never generated. */
export const CARDS = [
  { brand: 'visa', firstDigits: '411111' },
  { brand: 'visa', firstDigits: '400000' },
  { brand: 'mastercard', firstDigits: '555555' },
  { brand: 'mastercard', firstDigits: '222300' },
  { brand: 'amex', firstDigits: '378282' },
  { brand: 'elo', firstDigits: '636297' },
];
