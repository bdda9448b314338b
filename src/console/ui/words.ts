import { texts, useTexts, type Alike, type Messages, type Pairs, type Texts } from '../text';

/** Messages that many pages use. */
export const words = texts({
  actions: ['Actions', 'Ações'],
  add: ['Add', 'Adicionar'],
  amount: ['Amount', 'Valor'],
  app: ['App', 'Aplicativo'],
  apps: ['Apps', 'Aplicativos'],
  appVersions: ['App versions', 'Versões de aplicativos'],
  cancel: ['Cancel', 'Cancelar'],
  close: ['Close', 'Fechar'],
  copied: ['Copied', 'Copiado'],
  copy: ['Copy', 'Copiar'],
  create: ['Create', 'Criar'],
  created: ['Created', 'Criado'],
  createdBy: ['Created by', 'Criado por'],
  delete: ['Delete', 'Excluir'],
  deleted: ['Deleted', 'Excluído'],
  deliveries: ['Deliveries', 'Entregas'],
  description: ['Description', 'Descrição'],
  devices: ['Devices', 'Dispositivos'],
  disable: ['Disable', 'Desabilitar'],
  disabled: ['Disabled', 'Desabilitado'],
  edit: ['Edit', 'Editar'],
  enable: ['Enable', 'Habilitar'],
  enabled: ['Enabled', 'Habilitado'],
  facts: ['Facts', 'Dados'],
  file: ['File', 'Arquivo'],
  files: ['Files', 'Arquivos'],
  force: ['Save all the same', 'Salvar mesmo assim'],
  goesTo: ['Goes to', 'Vai para'],
  group: ['Group', 'Grupo'],
  groups: ['Groups', 'Grupos'],
  hasVersion: ['Has app version', 'Tem a versão de aplicativo'],
  history: ['History', 'Histórico'],
  key: ['Key', 'Chave'],
  kind: ['Kind', 'Tipo'],
  language: ['Language', 'Linguagem'],
  lastSeen: ['Last seen', 'Visto por último'],
  loading: ['Loading…', 'Carregando…'],
  logicalNumber: ['Logical number', 'Número lógico'],
  logicalNumbers: ['Logical numbers', 'Números lógicos'],
  metacontents: ['Metacontents', 'Metaconteúdos'],
  name: ['Name', 'Nome'],
  never: ['Never', 'Nunca'],
  newParameter: ['New parameter', 'Novo parâmetro'],
  no: ['No', 'Não'],
  none: ['None', 'Nenhum'],
  open: ['Open', 'Abrir'],
  parameters: ['Parameters', 'Parâmetros'],
  presence: ['Presence', 'Presença'],
  reason: ['Reason', 'Motivo'],
  remove: ['Remove', 'Remover'],
  role: ['Role', 'Papel'],
  save: ['Save', 'Salvar'],
  saved: ['Saved', 'Salvo'],
  rename: ['Rename', 'Renomear'],
  savedFilter: ['Saved filter', 'Filtro salvo'],
  serialNumber: ['Serial number', 'Número de série'],
  shownOnce: ['Copy it now: it is shown only once.', 'Copie agora: só é mostrado uma vez.'],
  size: ['Size', 'Tamanho'],
  state: ['State', 'Situação'],
  timeZone: ['Time zone', 'Fuso horário'],
  transactions: ['Transactions', 'Transações'],
  tryAgain: ['Try again', 'Tentar de novo'],
  undo: ['Undo', 'Desfazer'],
  undone: ['Undone', 'Desfeito'],
  updated: ['Changed', 'Alterado'],
  value: ['Value', 'Valor'],
  yes: ['Yes', 'Sim'],
});

/** Messages of a page beside those of all pages. */
export function pageWords<Own extends Pairs>(
  pairs: Own & Alike<Own>,
): Texts<(typeof words)['en'] & Messages<Own>> {
  const own = texts<Own>(pairs);
  return { en: { ...words.en, ...own.en }, pt: { ...words.pt, ...own.pt } };
}

/** A hook that gives such messages in the language of the console. */
export function pageTexts<Own extends Pairs>(
  pairs: Own & Alike<Own>,
): () => (typeof words)['en'] & Messages<Own> {
  const known = pageWords<Own>(pairs);
  return () => useTexts(known);
}

/** Names of pages and of the sections of the menu. */
export const pageNames = pageWords({
  account: ['Account', 'Conta'],
  'app-versions': ['App versions', 'Versões de aplicativos'],
  fleet: ['Fleet', 'Frota'],
  jobs: ['Jobs', 'Tarefas'],
  ledger: ['Change history', 'Histórico de alterações'],
  'logical-numbers': ['Logical numbers', 'Números lógicos'],
  members: ['Members', 'Membros'],
  messages: ['Messages', 'Mensagens'],
  notifications: ['Notifications', 'Notificações'],
  overview: ['Overview', 'Visão geral'],
  payments: ['Payments', 'Pagamentos'],
  settings: ['Company and server', 'Empresa e servidor'],
  software: ['Software', 'Software'],
  company: ['Company', 'Empresa'],
  webhooks: ['Webhooks', 'Webhooks'],
  'unknown-terminals': ['Unknown terminals', 'Terminais desconhecidos'],
});

export type PageName = keyof (typeof pageNames)['en'];

/** Page of the records of a type, `/app-versions` for AppVersion as for APP_VERSION; null if there is none. */
export function pageOf(type: string): string | null {
  const words = type.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').replaceAll('_', '-');
  const name = `${words.toLowerCase()}s`;
  return name in pageNames.en ? `/${name}` : null;
}
