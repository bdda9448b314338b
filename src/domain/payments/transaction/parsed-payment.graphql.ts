import {
  choice,
  enumeration,
  int,
  json,
  nullable,
  object,
  objectType,
  safeInt,
  text,
} from '../../../graphql/index.js';
import type { ParsedPayment } from './transaction.model.js';

export const PaymentStatus = enumeration<ParsedPayment['status']>(
  'PaymentStatus',
  'Decision of the authorizer.',
  {
    approved: 'The payment was approved.',
    denied: 'The payment was denied.',
  },
);

const Installment = objectType<ParsedPayment['installment']>('Installment', 'Installments of a payment.', {
  type: nullable(text('Who finances the installments: merchant, issuer or another. Null if unknown.')),
  quantity: nullable(int('Number of installments. Null if the payment has none, or it is unknown.')),
});

const PaymentCard = objectType<NonNullable<ParsedPayment['card']>>(
  'PaymentCard',
  'The card of a payment. Its full number is not stored.',
  {
    holderName: nullable(text('Name of the card holder. Null if unknown.')),
    brand: nullable(text('Brand: mastercard, visa, amex or another. Null if unknown.')),
    expirationDate: nullable(text('Month and year, for example 0131. Null if unknown.')),
    firstDigits: nullable(text('First digits of the number, at most 6. Null if unknown.')),
    lastDigits: nullable(text('Last digits of the number, at most 4. Null if unknown.')),
  },
);

const Merchant = objectType<ParsedPayment['merchant']>('Merchant', 'The merchant that was paid.', {
  id: nullable(text('Id of the merchant at the acquirer. Null if unknown.')),
  document: nullable(text('CNPJ or CPF of the merchant. Null if unknown.')),
  name: nullable(text('Name of the merchant. Null if unknown.')),
});

export const ParsedPaymentType = objectType<ParsedPayment>(
  'ParsedPayment',
  'A payment, in one form for all financial protocols.',
  {
    acquirer: nullable(text('Name of the acquirer. Null if unknown.')),
    type: text('Kind of payment: sale, cancellation, refund or another.'),
    status: choice(PaymentStatus, 'Decision of the authorizer.'),
    statusReason: nullable(text('Response code of the authorizer. Null if it gave none.')),
    captureMethod: nullable(
      text('How the card was read: emv, magnetic-stripe, contactless or another. Null if unknown.'),
    ),
    amount: safeInt('Amount in cents.'),
    paymentMethod: nullable(text('Debit or credit. Null if unknown.')),
    installment: object(Installment, 'Installments of the payment.'),
    nsu: nullable(text('NSU (sequence number) that the app generated. Null if it generated none.')),
    nsuReference: nullable(text('NSU of the cancelled transaction. Null unless this is a cancellation.')),
    authorizationCode: nullable(text('Authorization code of the host. Null if it gave none.')),
    transactionId: nullable(text('Transaction id or NSU of the host. Null if it gave none.')),
    card: nullable(
      object(
        PaymentCard,
        'The card that was used. Null for a payment without a card, for example PIX or cash.',
      ),
    ),
    merchant: object(Merchant, 'The merchant that was paid.'),
    metadata: json('Other data of the acquirer, as a JSON object.'),
  },
);
