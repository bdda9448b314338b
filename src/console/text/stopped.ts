/** Parts of the sentences in `stoppedBecause`, which the server has in English. */
const OF_ROLLOUTS = [
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

/** Sentences in `failure` and `deliveryFailure` of jobs and scheduled exports. */
const OF_JOBS = [
  ['None of the recipients may read the export any more', 'Nenhum destinatário pode mais ler a exportação'],
  [
    'The person who made this, or the token that did, has no right to read it any more: make it anew',
    'A pessoa que criou isto, ou o token usado, não pode mais ler estes registros: crie de novo',
  ],
  ['The mail server has not taken the e-mail', 'O servidor de e-mail não aceitou a mensagem'],
  ['It cannot be reached, or does not answer', 'Ele não pode ser alcançado ou não responde'],
  ['It said:', 'Ele respondeu:'],
  ['This server sends no e-mail any more', 'Este servidor não envia mais e-mail'],
  ['An internal error: see the log of the server', 'Erro interno: veja o log do servidor'],
  ['No such job', 'A exportação não existe mais'],
  ['filter does not fit the list:', 'O filtro não serve mais para esta lista:'],
  ['columns does not fit the list:', 'As colunas não servem mais para esta lista:'],
  ['This request needs the scope', 'Isto exige a permissão'],
  [
    'which the token or the role of its user does not include',
    'que o token ou o papel da pessoa não inclui mais',
  ],
] as const;

type Language = 'en' | 'pt';
type Parts = readonly (readonly [en: string, pt: string])[];

const said = (language: Language, sentence: string, parts: Parts): string =>
  language === 'en' ? sentence : parts.reduce((text, [en, pt]) => text.replaceAll(en, pt), sentence);

/** The sentence that says why a rollout has stopped, with its figures. */
export const stoppedIn = (language: Language, sentence: string): string =>
  said(language, sentence, OF_ROLLOUTS);

const GROUP_IS_GONE = {
  en: 'The group does not exist any more.',
  pt: 'O grupo não existe mais.',
} as const;

/** The sentence that says why a job or a scheduled export has failed. */
export const jobFailureIn = (language: Language, sentence: string): string =>
  sentence === 'change.groupId is not the id of a group'
    ? GROUP_IS_GONE[language]
    : said(language, sentence, OF_JOBS);
