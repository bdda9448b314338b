import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';

import { JsonValue, SafeInt } from '../../graphql/schema/scalars.js';
import type { ParsedPayment } from './transaction.model.js';

type PaymentStatus = ParsedPayment['status'];
const PAYMENT_STATUSES: Readonly<Record<Uppercase<PaymentStatus>, PaymentStatus>> = {
  APPROVED: 'approved',
  DENIED: 'denied',
};
registerEnumType(PAYMENT_STATUSES, {
  name: 'PaymentStatus',
  description: 'What the authorizer decided.',
  valuesConfig: {
    APPROVED: { description: 'The payment was approved.' },
    DENIED: { description: 'The payment was denied.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'How a payment is split.' })
class Installment {
  @Field(() => String, { nullable: true, description: 'Who finances it: merchant, issuer and the like.' })
  type!: string | null;

  @Field(() => Int, { nullable: true, description: 'Number of installments.' })
  quantity!: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'What is kept of a card; never its number.' })
class PaymentCard {
  @Field(() => String, { nullable: true, description: 'Who holds it; null where it is not known.' })
  holderName?: string | null;

  @Field(() => String, { nullable: true, description: 'Mastercard, visa, amex and the like.' })
  brand!: string | null;

  @Field(() => String, { nullable: true, description: 'Month and year, 4 digits.' })
  expirationDate!: string | null;

  @Field(() => String, { nullable: true, description: 'First digits of the number, at most 6.' })
  firstDigits!: string | null;

  @Field(() => String, { nullable: true, description: 'Last digits of the number, at most 4.' })
  lastDigits!: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'Who is paid.' })
class Merchant {
  @Field(() => String, { nullable: true, description: "The merchant's id at the acquirer." })
  id!: string | null;

  @Field(() => String, { nullable: true, description: 'CNPJ or CPF.' })
  document!: string | null;

  @Field(() => String, { nullable: true, description: 'Name.' })
  name!: string | null;
}

@ObjectType('ParsedPayment', {
  simpleResolvers: true,
  description: 'A payment, normalised from any financial protocol.',
})
export class ParsedPaymentType {
  @Field(() => String, { nullable: true, description: 'Name of the acquirer.' })
  acquirer!: string | null;

  @Field(() => String, { description: 'Sale, cancellation, refund and the like.' })
  type!: string;

  @Field(() => PAYMENT_STATUSES, { description: 'What the authorizer decided.' })
  status!: PaymentStatus;

  @Field(() => String, { nullable: true, description: "The authorizer's response code." })
  statusReason!: string | null;

  @Field(() => String, { nullable: true, description: 'Emv, magnetic-stripe, contactless and the like.' })
  captureMethod!: string | null;

  @Field(() => SafeInt, { description: 'Cents.' })
  amount!: number;

  @Field(() => String, { nullable: true, description: 'Debit or credit.' })
  paymentMethod!: string | null;

  @Field(() => Installment, { description: 'How it is split.' })
  installment!: Installment;

  @Field(() => String, { nullable: true, description: 'NSU that the application made.' })
  nsu!: string | null;

  @Field(() => String, { nullable: true, description: 'NSU of the transaction that this one cancels.' })
  nsuReference?: string | null;

  @Field(() => String, { nullable: true, description: "The host's authorization code." })
  authorizationCode!: string | null;

  @Field(() => String, { nullable: true, description: "The host's id of the transaction, or its NSU." })
  transactionId!: string | null;

  @Field(() => PaymentCard, { description: 'With what was paid.' })
  card!: PaymentCard;

  @Field(() => Merchant, { description: 'Who was paid.' })
  merchant!: Merchant;

  @Field(() => JsonValue, { description: 'What only this acquirer says.' })
  metadata!: Readonly<Record<string, unknown>>;
}
