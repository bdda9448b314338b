import type { Language } from '../text';
import type { UserError } from './errors';

type Params = Readonly<Record<string, string | number | undefined>>;

/** Portuguese messages of the rules that values break; the server has the English ones. Names are those of `rule`. */
const PORTUGUESE: Readonly<Record<string, string | ((params: Params) => string)>> = {
  base64: 'deve estar em base64',
  card_number: 'não pode conter um número de cartão',
  choice: ({ values }) => `deve ser um destes: ${values ?? ''}`,
  comma: 'não pode conter vírgula',
  contains_itself: 'não pode conter a própria versão',
  control_characters: 'não pode conter caracteres de controle ou invisíveis',
  digits: 'deve ter apenas dígitos',
  email: 'deve ser um endereço de e-mail',
  empty: 'não pode ficar vazio',
  excluded: 'não se aplica aqui',
  expired: 'expirou',
  given_twice: 'foi informado duas vezes',
  in_use: ({ count }) => `Pelo menos ${count ?? ''} terminais perderiam versões de aplicativos.`,
  leading_dash: 'não pode começar com hífen',
  module_in_use: 'deve continuar módulo: outras versões o usam',
  not_in_group: 'deve ser uma versão anexada ao grupo',
  not_revertible: 'não pode ser desfeito',
  null: 'não pode ficar vazio',
  one_of: 'informe exatamente um dos campos',
  order: ({ field }) => `está na ordem errada em relação a ${field ?? ''}`,
  other_companies: 'também é membro de outras empresas: o bloqueio termina sozinho em um dia',
  other_count: ({ count }) => `a alteração agora afeta ${count ?? ''} registros: confira de novo`,
  past: 'deve estar no futuro',
  path_segment: 'não é um nome válido',
  pipe: 'não pode conter barra vertical ou quebra de linha',
  required: 'é obrigatório',
  revoked: 'foi revogado: gere um novo token',
  same_app: 'deve ter no máximo uma versão de cada aplicativo',
  scope: 'só pode ter permissões que você tem',
  stale: 'O registro foi alterado por outra pessoa.',
  surrounding_space: 'não pode começar nem terminar com espaço',
  time_zone: 'deve ser um fuso horário IANA',
  timestamp: ({ example }) => `deve ser uma data e hora como ${example ?? ''}`,
  too_deep: ({ maximum }) => `deve ter no máximo ${maximum ?? ''} níveis`,
  too_great: ({ maximum }) => `deve ser no máximo ${maximum ?? ''}`,
  too_large: ({ maximum }) => `deve ter no máximo ${maximum ?? ''} bytes`,
  too_long: ({ maximum }) => `deve ter no máximo ${maximum ?? ''} caracteres`,
  too_many_entries: ({ maximum }) => `deve ter no máximo ${maximum ?? ''} itens`,
  too_many_records: ({ maximum }) => `Uma solicitação altera no máximo ${maximum ?? ''} registros.`,
  too_short: ({ minimum }) => `deve ter pelo menos ${minimum ?? ''} caracteres`,
  too_small: ({ minimum }) => `deve ser pelo menos ${minimum ?? ''}`,
  type: 'tem o tipo errado',
  unknown_record: 'não existe',
  wrong_password: 'não é a sua senha',
};

/** English messages where the server advises what programs should send. */
const ENGLISH: typeof PORTUGUESE = {
  in_use: ({ count }) => `At least ${count ?? ''} terminals would lose app versions.`,
};

/** Portuguese messages of errors whose code says all. */
const CODES: Readonly<Record<string, string>> = {
  TAKEN: 'já está em uso',
  NOT_FOUND: 'O registro não existe mais.',
  NOT_EMPTY: 'Outros registros ainda pertencem a este.',
  INVALID: 'não é válido',
};

/** The message of an error in the person's language; that of the server where there is no other. */
export function messageOf(error: UserError, language: Language): string {
  const [rules, codes] = language === 'en' ? [ENGLISH, {}] : [PORTUGUESE, CODES];
  const message = rules[error.rule ?? ''] ?? codes[error.code] ?? error.message;
  return typeof message === 'function' ? message((error.params ?? {}) as Params) : message;
}
