/** Meaning of a response code of authorizers, such as 51 in `parsed.statusReason`, in both languages of the console. */
export interface ResponseCode {
  readonly code: string;
  readonly english: string;
  readonly portuguese: string;
  /** True for a text of the company, which is the same in both languages. */
  readonly isOwn: boolean;
}

/** Codes of field 39 of ISO 8583 (1987), ascending. Acquirers use others besides them. */
const TEXTS: Readonly<Record<string, readonly [english: string, portuguese: string]>> = {
  '00': ['Approved', 'Aprovada'],
  '01': ['Refer to card issuer', 'Contate o emissor do cartão'],
  '02': ['Refer to card issuer, special conditions', 'Contate o emissor do cartão, condições especiais'],
  '03': ['Invalid merchant', 'Estabelecimento inválido'],
  '04': ['Pick up card', 'Recolha o cartão'],
  '05': ['Do not honour', 'Não autorizada'],
  '06': ['Error', 'Erro'],
  '07': ['Pick up card, special conditions', 'Recolha o cartão, condições especiais'],
  '08': ['Honour with identification', 'Autorizada com identificação'],
  '09': ['Request in progress', 'Solicitação em andamento'],
  '10': ['Approved for a partial amount', 'Aprovada para um valor parcial'],
  '11': ['Approved (VIP)', 'Aprovada (VIP)'],
  '12': ['Invalid transaction', 'Transação inválida'],
  '13': ['Invalid amount', 'Valor inválido'],
  '14': ['Invalid card number', 'Número do cartão inválido'],
  '15': ['No such issuer', 'Emissor inexistente'],
  '19': ['Enter the transaction again', 'Refaça a transação'],
  '20': ['Invalid response', 'Resposta inválida'],
  '21': ['No action taken', 'Nenhuma ação tomada'],
  '22': ['Suspected malfunction', 'Suspeita de mau funcionamento'],
  '25': ['Record not found', 'Registro não encontrado'],
  '28': ['File temporarily unavailable', 'Arquivo temporariamente indisponível'],
  '30': ['Format error', 'Erro de formato'],
  '33': ['Expired card, pick up', 'Cartão vencido, recolha'],
  '34': ['Suspected fraud, pick up', 'Suspeita de fraude, recolha o cartão'],
  '36': ['Restricted card, pick up', 'Cartão restrito, recolha'],
  '38': ['Too many wrong PINs, pick up', 'Muitas senhas incorretas, recolha o cartão'],
  '39': ['No credit account', 'Sem conta de crédito'],
  '40': ['Function not supported', 'Função não suportada'],
  '41': ['Lost card', 'Cartão perdido'],
  '43': ['Stolen card', 'Cartão roubado'],
  '51': ['Insufficient funds', 'Saldo insuficiente'],
  '52': ['No checking account', 'Sem conta corrente'],
  '53': ['No savings account', 'Sem conta poupança'],
  '54': ['Expired card', 'Cartão vencido'],
  '55': ['Incorrect PIN', 'Senha incorreta'],
  '56': ['No card record', 'Cartão sem registro'],
  '57': ['Not permitted to the cardholder', 'Não permitida para o cartão'],
  '58': ['Not permitted to the terminal', 'Não permitida para o terminal'],
  '59': ['Suspected fraud', 'Suspeita de fraude'],
  '60': ['Contact the acquirer', 'Contate o adquirente'],
  '61': ['Exceeds the limit of amount', 'Excede o limite de valor'],
  '62': ['Restricted card', 'Cartão restrito'],
  '63': ['Security violation', 'Violação de segurança'],
  '64': ['Wrong original amount', 'Valor original incorreto'],
  '65': ['Exceeds the limit of number', 'Excede a quantidade permitida'],
  '66': ['Call the security department of the acquirer', 'Ligue para a segurança do adquirente'],
  '67': ['Hard capture', 'Captura do cartão no terminal'],
  '68': ['Response came too late', 'Resposta recebida tarde demais'],
  '75': ['Too many wrong PINs', 'Muitas senhas incorretas'],
  '90': ['Cutoff in progress', 'Fechamento em andamento'],
  '91': ['Issuer or switch does not answer', 'Emissor ou rede sem resposta'],
  '92': ['No route to the issuer', 'Sem rota para o emissor'],
  '93': ['Violation of law', 'Violação da lei'],
  '94': ['Duplicate transmission', 'Transmissão duplicada'],
  '95': ['Reconciliation error', 'Erro de conciliação'],
  '96': ['System malfunction', 'Falha do sistema'],
};

export const RESPONSE_CODES: readonly ResponseCode[] = Object.keys(TEXTS)
  .sort()
  .map((code) => ({
    code,
    english: TEXTS[code]?.[0] ?? '',
    portuguese: TEXTS[code]?.[1] ?? '',
    isOwn: false,
  }));

/** All codes with a text, ascending; a company's own text stands in place of that of ISO 8583. */
export function responseCodesWith(own: Readonly<Record<string, string>>): readonly ResponseCode[] {
  const standard = RESPONSE_CODES.filter(({ code }) => !Object.hasOwn(own, code));
  const others = Object.entries(own).map(([code, text]) => ({
    code,
    english: text,
    portuguese: text,
    isOwn: true,
  }));
  return [...standard, ...others].sort((one, other) => (one.code < other.code ? -1 : 1));
}
