/** The filter of the topics on which terminals confirm. */
export const CONFIRM_FILTER = 'terminals/+/+/confirm';

/** A terminal as topics name it. */
export interface TerminalName {
  readonly companyId: number;
  readonly logicalNumber: string;
}

const CONFIRM_TOPIC = /^terminals\/([1-9][0-9]{0,15})\/([^/]+)\/confirm$/;

/**
 * A logical number as one level of a topic: percent-encoded (RFC 3986), so that it has none of the characters that mean
 * something to a broker. All bytes of UTF-8 but letters, digits and `-._~` are `%` and two hexadecimal digits in upper case,
 * for example `Loja%207%2FA`.
 */
export function levelOf(logicalNumber: string): string {
  return encodeURIComponent(logicalNumber).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** For example `terminals/7/0042/notifications`. */
export function notificationTopic({ companyId, logicalNumber }: TerminalName): string {
  return `terminals/${companyId}/${levelOf(logicalNumber)}/notifications`;
}

/** The terminal that may publish on the topic; null for any other topic, also for another spelling of such a topic. */
export function terminalOfConfirmTopic(topic: string): TerminalName | null {
  const [, company = '', level = ''] = CONFIRM_TOPIC.exec(topic) ?? [];
  const companyId = Number(company);
  const logicalNumber = decoded(level);
  if (!Number.isSafeInteger(companyId) || logicalNumber === null || levelOf(logicalNumber) !== level) {
    return null;
  }
  return { companyId, logicalNumber };
}

/** Null for an empty text, and for one that is not percent-encoded UTF-8. */
function decoded(level: string): string | null {
  try {
    const text = decodeURIComponent(level);
    return text === '' ? null : text;
  } catch {
    return null;
  }
}
