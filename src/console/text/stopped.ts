/** Parts of the sentences in `stoppedBecause`, which the server has in English. */
const PORTUGUESE = [
  [' of ', ' de '],
  [', but ', ', mas '],
  [' and ', ' e '],
  ['payments are approved', 'pagamentos são aprovados'],
  ['a week before', 'uma semana antes'],
  ['on terminals that wait', 'em terminais que aguardam'],
  ['points less', 'pontos a menos'],
  ['terminals have failed', 'terminais falharam'],
  ['terminals have sent nothing', 'terminais não enviaram nada'],
  ['in wave', 'na onda'],
  ['at least', 'pelo menos'],
  ['The deadline has passed before the last wave was proven', 'O prazo terminou antes da última onda'],
  ['The person who started it may not change the company any more', 'Quem a criou não pode mais alterar'],
] as const;

/** The sentence that says why a rollout has stopped, with its figures. */
export const stoppedIn = (language: 'en' | 'pt', sentence: string): string =>
  language === 'en' ? sentence : PORTUGUESE.reduce((text, [en, pt]) => text.replaceAll(en, pt), sentence);
