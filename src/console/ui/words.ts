import { texts, useTexts, type Pairs, type Texts } from '../text';

/** Messages that many pages use. */
export const words = texts({
  '0s': ['It ends at once', 'Termina na hora'],
  '1h': ['1 hour', '1 hora'],
  '24h': ['24 hours', '24 horas'],
  '7d': ['7 days', '7 dias'],
  '30d': ['30 days', '30 dias'],
  TODAY: ['Today', 'Hoje'],
  YESTERDAY: ['Yesterday', 'Ontem'],
  LAST_7_DAYS: ['Last 7 days', 'Últimos 7 dias'],
  LAST_30_DAYS: ['Last 30 days', 'Últimos 30 dias'],
  THIS_MONTH: ['This month', 'Neste mês'],
  LAST_MONTH: ['Last month', 'No mês passado'],
  actions: ['Actions', 'Ações'],
  add: ['Add', 'Adicionar'],
  all: ['All logical numbers', 'Todos os números lógicos'],
  amount: ['Amount', 'Valor'],
  attempts: ['Downloads', 'Downloads'],
  app: ['App', 'Aplicativo'],
  appVersion: ['App version', 'Versão de aplicativo'],
  apps: ['Apps', 'Aplicativos'],
  appVersions: ['App versions', 'Versões de aplicativos'],
  cancel: ['Cancel', 'Cancelar'],
  cardNumber: [
    'It looks like a card number. It was saved as it is.',
    'Parece um número de cartão. Foi salvo como está.',
  ],
  close: ['Close', 'Fechar'],
  communicationFormat: ['Protocol', 'Protocolo'],
  copied: ['Copied', 'Copiado'],
  copy: ['Copy', 'Copiar'],
  createFirst: ['None yet. Create the first one.', 'Nenhum ainda. Crie o primeiro.'],
  create: ['Create', 'Criar'],
  createdAt: ['Created', 'Criado'],
  createdBy: ['Created by', 'Criado por'],
  delete: ['Delete', 'Excluir'],
  deleteDone: ['Deleted', 'Excluído'],
  device: ['Device', 'Dispositivo'],
  deliveries: ['Deliveries', 'Entregas'],
  description: ['Description', 'Descrição'],
  devices: ['Devices', 'Dispositivos'],
  disable: ['Disable', 'Desabilitar'],
  disableDone: ['Disabled', 'Desabilitado'],
  disabled: ['Disabled', 'Desabilitado'],
  displayable: ['Shown on the terminal', 'Mostrado no terminal'],
  edit: ['Edit', 'Editar'],
  email: ['E-mail', 'E-mail'],
  enable: ['Enable', 'Habilitar'],
  enableDone: ['Enabled', 'Habilitado'],
  enabled: ['Enabled', 'Habilitado'],
  facts: ['Facts', 'Dados'],
  file: ['File', 'Arquivo'],
  files: ['Files', 'Arquivos'],
  fileType: ['Type', 'Tipo'],
  firstOnly: ['Only the first 100 are shown.', 'Somente os primeiros 100 são mostrados.'],
  force: ['Save all the same', 'Salvar mesmo assim'],
  frameworkVersion: ['Framework version', 'Versão do framework'],
  goesTo: ['Goes to', 'Vai para'],
  group: ['Group', 'Grupo'],
  groups: ['Groups', 'Grupos'],
  hasVersion: ['Has app version', 'Tem a versão de aplicativo'],
  history: ['History', 'Histórico'],
  keepOldFor: ['Keep the old token for', 'Manter o token antigo por'],
  key: ['Key', 'Chave'],
  kind: ['Kind', 'Tipo'],
  language: ['Language', 'Linguagem'],
  lastSeenAt: ['Last seen', 'Visto por último'],
  loading: ['Loading…', 'Carregando…'],
  logicalNumber: ['Logical number', 'Número lógico'],
  logicalNumbers: ['Logical numbers', 'Números lógicos'],
  metacontents: ['Metacontents', 'Metaconteúdos'],
  move: ['Move to a group', 'Mover para um grupo'],
  name: ['Name', 'Nome'],
  never: ['Never', 'Nunca'],
  newParameter: ['New parameter', 'Novo parâmetro'],
  no: ['No', 'Não'],
  none: ['None', 'Nenhum'],
  noMail: ['This server sends no e-mail.', 'Este servidor não envia e-mail.'],
  number: ['Number', 'Número'],
  open: ['Open', 'Abrir'],
  parameters: ['Parameters', 'Parâmetros'],
  password: ['Password', 'Senha'],
  posDisplayLabel: ['Label on the terminal', 'Rótulo no terminal'],
  presence: ['Presence', 'Presença'],
  reason: ['Reason', 'Motivo'],
  remove: ['Remove', 'Remover'],
  rename: ['Rename', 'Renomear'],
  role: ['Role', 'Papel'],
  rowNumber: ['Line', 'Linha'],
  save: ['Save', 'Salvar'],
  saveAsCsv: ['Save as CSV', 'Salvar como CSV'],
  saved: ['Saved', 'Salvo'],
  searchFailed: ['The search failed. Type again.', 'A busca falhou. Digite de novo.'],
  savedFilter: ['Saved filter', 'Filtro salvo'],
  serialNumber: ['Serial number', 'Número de série'],
  shownOnce: ['Copy it now: it is shown only once.', 'Copie agora: só é mostrado uma vez.'],
  since: ['Since', 'Desde'],
  size: ['Size', 'Tamanho'],
  state: ['State', 'Situação'],
  timesIn: ['Times in', 'Horários em'],
  timeZone: ['Time zone', 'Fuso horário'],
  tooLong: [
    'Only the first 100 are shown. Change so long a list with the API.',
    'Somente os primeiros 100 são mostrados. Altere uma lista tão longa pela API.',
  ],
  toWhom: ['To whom', 'Para quem'],
  transactions: ['Transactions', 'Transações'],
  tryAgain: ['Try again', 'Tentar de novo'],
  undo: ['Undo', 'Desfazer'],
  undone: ['Undone', 'Desfeito'],
  updatedAt: ['Changed', 'Alterado'],
  url: ['Address', 'Endereço'],
  value: ['Value', 'Valor'],
  yes: ['Yes', 'Sim'],
  DOWNLOADED: ['Downloaded', 'Baixada'],
  FAILED: ['Failed', 'Falhou'],
  GRANTED: ['To get it', 'A receber'],
  INSTALLED: ['Installed', 'Instalada'],
  NEVER_SEEN: ['Never seen', 'Nunca visto'],
  OFFLINE: ['Offline', 'Offline'],
  ONLINE: ['Online', 'Online'],
  OVERDUE: ['Overdue', 'Atrasada'],
  PROVEN: ['Proven', 'Comprovada'],
  STALE: ['Silent', 'Silencioso'],
});

/** Messages of a page beside those of all pages. */
export function pageWords<Own>(pairs: Pairs<Own>): Texts<(typeof words)['en'] & Own> {
  const own = texts(pairs);
  return { en: { ...words.en, ...own.en }, pt: { ...words.pt, ...own.pt } };
}

/** A hook that gives such messages in the language of the console. */
export function pageTexts<Own>(pairs: Pairs<Own>): () => (typeof words)['en'] & Own {
  const known = pageWords(pairs);
  return () => useTexts(known);
}

/** A note beside everything that would send an e-mail, on a server that sends none. */
export function useNoMail(): string | undefined {
  const text = useTexts(words);
  return document.documentElement.hasAttribute('data-no-mail') ? text.noMail : undefined;
}

/** Names of pages and of the sections of the menu. */
export const pageNames = pageWords({
  account: ['Account', 'Conta'],
  'alert-rules': ['Alert rules', 'Regras de alerta'],
  alerts: ['Alerts', 'Alertas'],
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
  plan: ['Desired state', 'Estado desejado'],
  rankings: ['Rankings', 'Classificações'],
  rollouts: ['Rollouts', 'Implantações'],
  settings: ['Company and server', 'Empresa e servidor'],
  software: ['Software', 'Software'],
  company: ['Company', 'Empresa'],
  webhooks: ['Webhooks', 'Webhooks'],
  'unknown-terminals': ['Unknown terminals', 'Terminais desconhecidos'],
});

export type PageName = keyof (typeof pageNames)['en'];

/** Page of records by their type or a field, `/app-versions` for APP_VERSION as for appVersionIds; null if there is none. */
export function pageOf(typeOrField: string): string | null {
  const words = typeOrField.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').replaceAll('_', '-');
  const name = words.toLowerCase().replace(/(?:-ids?|s)?$/, 's');
  return name in pageNames.en ? `/${name}` : null;
}
