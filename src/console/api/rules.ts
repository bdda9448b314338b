/** An error of the API that the person can mend: of an argument, or of the record as a whole. */
export interface UserError {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
  /** Name of the rule that is broken, for a message in another language. */
  readonly rule?: string | null;
  readonly params?: unknown;
}

/**
 * Portuguese messages of the rules that values break, with the parameters in braces; the server has the English ones.
 * Names are those of `rule`. The first message whose parameters are all there counts.
 */
const PORTUGUESE: Readonly<Record<string, string | readonly string[]>> = {
  base64: 'deve estar em base64',
  card_number: 'não pode conter um número de cartão',
  choice: 'deve ser um destes: {values}',
  comma: 'não pode conter vírgula',
  contains_itself: 'não pode conter a própria versão',
  control_characters: 'não pode conter caracteres de controle ou invisíveis',
  decided: 'já foi decidido',
  digits: 'deve ter apenas dígitos',
  duration: ['deve ser no mínimo {minimum} minutos', 'deve ser no máximo {maximum} dias'],
  hexadecimal: 'deve ter 4 dígitos hexadecimais',
  email: 'deve ser um endereço de e-mail',
  empty: 'não pode ficar vazio',
  event_type: 'deve conter tipos de eventos, por exemplo {example}',
  excluded: 'não se aplica aqui',
  expired: 'expirou',
  foreign_number: 'deve ser {number}, o número do terminal, ou ficar ausente',
  given_twice: ['não pode ser enviado junto com {field}', 'foi informado duas vezes'],
  in_use: 'Pelo menos {count} terminais perderiam versões de aplicativos.',
  leading_dash: 'não pode começar com hífen',
  link_ended: 'O link já foi usado, é antigo demais ou a conta mudou depois dele.',
  no_passkey: 'Códigos de recuperação substituem uma chave de acesso: adicione uma primeiro.',
  no_mail: 'Este servidor não envia e-mail.',
  several_companies: '{email} também é membro de outras empresas.',
  module_in_use: 'deve continuar módulo: outras versões o usam',
  month_and_year: 'deve ser mês e ano, por exemplo {example}',
  nameless: 'não tem nome: foi criado pela entrada',
  not_in_group: [
    'deve ser uma versão anexada ao grupo: não {values}',
    'deve ser uma versão anexada ao grupo de cada número lógico: {count} não a têm, por exemplo {example}',
  ],
  not_revertible: 'não pode ser desfeito',
  null: 'não pode ficar vazio',
  one_of: 'informe exatamente um destes: {choices}',
  order: 'está na ordem errada em relação a {field}',
  other_companies: 'também é membro de outras empresas: o bloqueio termina sozinho em um dia',
  other_count: 'a alteração agora afeta {count} registros: confira de novo',
  owner_left: 'é um filtro salvo de alguém que saiu da empresa: salve-o de novo em seu nome',
  past: 'deve estar no futuro',
  path_segment: 'não é um nome válido',
  pipe: 'não pode conter barra vertical ou quebra de linha, exceto com uma ação no início, por exemplo {example}',
  renewed: 'já foi renovado: renove o token novo ou revogue-o',
  required: ['a variável {variable} não tem valor', 'é obrigatório'],
  revoked: 'foi revogado: gere um novo token',
  same_app: 'deve ter no máximo uma versão de cada aplicativo: {values} são do mesmo',
  rollout_state: 'A implantação não pode ser alterada assim no estado em que está.',
  same_hour: 'não pode ser a hora em que começa: de 0 a 24 é o dia todo',
  scope: 'só pode ter permissões que você tem: não {values}',
  sequence: [
    'deve ser no mínimo {minimum}: as entradas anteriores já foram excluídas',
    'deve ser no máximo {maximum}, a próxima entrada',
  ],
  stale: ['{what} foi alterado de novo, na entrada {sequence}.', 'O registro foi alterado por outra pessoa.'],
  surrounding_space: 'não pode começar nem terminar com espaço',
  time_zone: 'deve ser um fuso horário IANA, por exemplo {example}',
  timestamp: 'deve ser uma data e hora como {example}',
  too_deep: 'deve ter no máximo {maximum} níveis',
  too_great: ['deve ser no máximo {maximum}', 'é grande demais para um número'],
  too_large: 'deve ter no máximo {maximum} bytes',
  too_long: 'deve ter no máximo {maximum} caracteres',
  too_many_entries: 'deve ter no máximo {maximum} itens',
  too_many_records: 'Uma solicitação altera no máximo {maximum} registros.',
  too_many_passkeys: 'Um usuário tem no máximo {maximum} chaves de acesso: remova uma primeiro.',
  too_short: 'deve ter pelo menos {minimum} caracteres',
  too_small: 'deve ser pelo menos {minimum}',
  type: 'tem o tipo errado',
  unfit: 'não serve para a lista',
  unknown_fields: 'tem campos desconhecidos: {fields}',
  unknown_record: ['não existe: {values}', 'não existe'],
  web_address: [
    'deve ser um endereço como {example}, sem usuário, senha ou #',
    'não é um endereço público com https',
  ],
  web_port: 'tem a porta de outro serviço: use 443, ou uma a partir de 1024',
  wrong_credentials: 'E-mail e senha não conferem, ou a conta está bloqueada por alguns minutos.',
  wrong_passkey:
    'A chave de acesso ou o código de recuperação está errado, já foi usado ou tem mais de 5 minutos, ou a conta está bloqueada.',
  wrong_password: 'não é a sua senha',
  year: 'deve ser um ano de 1970 a 9999',
};

/** English messages where people need other words than programs. */
const ENGLISH: typeof PORTUGUESE = {
  in_use: 'At least {count} terminals would lose app versions.',
  too_great: 'must be at most {maximum}',
  too_small: 'must be at least {minimum}',
  wrong_credentials: 'E-mail and password do not match, or the account is locked for some minutes.',
};

/** Portuguese messages of errors whose code says all, or whose parameters are not known. */
const CODES: Readonly<Record<string, string>> = {
  TAKEN: 'já está em uso',
  NOT_FOUND: 'O registro não existe mais.',
  NOT_EMPTY: 'Outros registros ainda pertencem a este.',
  INVALID: 'não é válido',
  IN_USE: 'Terminais perderiam versões de aplicativos.',
  TOO_MANY_RECORDS: 'Uma solicitação não pode alterar tantos registros.',
};

/** The message of an error in the person's language; that of the server where there is no other. */
export function messageOf(error: Omit<UserError, 'path'>, language: 'en' | 'pt'): string {
  const rules = language === 'en' ? ENGLISH : PORTUGUESE;
  const params = (error.params ?? {}) as Readonly<Record<string, string | number>>;
  const templates = [rules[error.rule ?? ''] ?? []].flat();
  const isFilled = (template: string) => namesIn(template).every((name) => params[name] !== undefined);
  const template = templates.find(isFilled) ?? (language === 'en' ? undefined : CODES[error.code]);
  if (template === undefined) return error.message;
  const shown = (name: string): string => {
    const param = String(params[name]);
    return language === 'pt' && name === 'what' ? inPortuguese(param) : param;
  };
  const message = template.replace(NAME, (_, name: string) => shown(name));
  // The rule is broken by a part of the field.
  return params.in === undefined ? message : `${params.in}: ${message}`;
}

/** Portuguese kinds of records before the name of one, as in `logical number 1001`. */
const KINDS: Readonly<Record<string, string>> = {
  'app version': 'versão de aplicativo',
  device: 'dispositivo',
  group: 'grupo',
  'logical number': 'número lógico',
  metacontent: 'metaconteúdo',
  parameter: 'parâmetro',
};

function inPortuguese(record: string): string {
  const kind = Object.keys(KINDS).find((each) => record.startsWith(`${each} `));
  return kind === undefined ? record : record.replace(kind, KINDS[kind] ?? kind);
}

const NAME = /\{(\w+)\}/g;

const namesIn = (template: string): readonly string[] =>
  Array.from(template.matchAll(NAME), ([, name = '']) => name);
