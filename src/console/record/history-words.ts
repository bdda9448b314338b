import { texts, useTexts } from '../text';

const actions = texts({
  en: {
    accept_loss: 'Loss accepted',
    cancel: 'Cancelled',
    create: 'Created',
    delete: 'Deleted',
    issue: 'Token issued',
    record: 'Recorded',
    rename: 'Renamed',
    report: 'Reported by the terminal',
    retry: 'Sent again',
    revoke: 'Token revoked',
    sign_in: 'Signed in',
    sign_in_failed: 'Sign-in failed',
    sign_in_locked: 'Sign-in locked',
    sign_in_refused: 'Sign-in refused',
    update: 'Changed',
  },
  pt: {
    accept_loss: 'Perda aceita',
    cancel: 'Cancelado',
    create: 'Criado',
    delete: 'Excluído',
    issue: 'Token emitido',
    record: 'Registrado',
    rename: 'Renomeado',
    report: 'Informado pelo terminal',
    retry: 'Enviado de novo',
    revoke: 'Token revogado',
    sign_in: 'Entrou',
    sign_in_failed: 'Falha ao entrar',
    sign_in_locked: 'Acesso bloqueado',
    sign_in_refused: 'Acesso recusado',
    update: 'Alterado',
  },
});

const fields = texts({
  en: {
    appId: 'App',
    appVersionIds: 'App versions',
    authorizerUrl: 'Authorizer URL',
    communicationFormat: 'Communication format',
    content: 'Content',
    contentId: 'Bytes',
    defaultAppVersionIds: 'Default app versions',
    description: 'Description',
    displayable: 'Shown on the terminal',
    enabled: 'Enabled',
    expiresAt: 'Expires',
    fileIds: 'Files',
    fileType: 'Type',
    frameworkVersion: 'Framework version',
    groupId: 'Group',
    groupIds: 'Groups',
    key: 'Key',
    kind: 'Kind',
    language: 'Language',
    logicalNumberId: 'Logical number',
    moduleIds: 'Modules',
    name: 'Name',
    number: 'Number',
    posDisplayLabel: 'Label on the terminal',
    queued: 'Terminals',
    role: 'Role',
    scopes: 'Scopes',
    serialNumber: 'Serial number',
    size: 'Size',
    status: 'Status',
    timeZone: 'Time zone',
    value: 'Value',
  },
  pt: {
    appId: 'Aplicativo',
    appVersionIds: 'Versões de aplicativos',
    authorizerUrl: 'URL do autorizador',
    communicationFormat: 'Formato de comunicação',
    content: 'Conteúdo',
    contentId: 'Bytes',
    defaultAppVersionIds: 'Versões padrão',
    description: 'Descrição',
    displayable: 'Exibido no terminal',
    enabled: 'Habilitado',
    expiresAt: 'Expira',
    fileIds: 'Arquivos',
    fileType: 'Tipo',
    frameworkVersion: 'Versão do framework',
    groupId: 'Grupo',
    groupIds: 'Grupos',
    key: 'Chave',
    kind: 'Tipo',
    language: 'Linguagem',
    logicalNumberId: 'Número lógico',
    moduleIds: 'Módulos',
    name: 'Nome',
    number: 'Número',
    posDisplayLabel: 'Rótulo no terminal',
    queued: 'Terminais',
    role: 'Perfil',
    scopes: 'Escopos',
    serialNumber: 'Número de série',
    size: 'Tamanho',
    status: 'Situação',
    timeZone: 'Fuso horário',
    value: 'Valor',
  },
});

/** Properties that terminals report. */
const meta = texts({
  en: {
    battery_level: 'Battery',
    brand: 'Brand',
    communication_media: 'Connection',
    emv_kernel_version: 'EMV kernel',
    gprs_signal: 'Signal',
    model: 'Model',
    os_version: 'Operating system',
    signature: 'Signature',
    sim_card_id: 'SIM card',
    ssa_version: 'SSA version',
    ssl: 'TLS',
  },
  pt: {
    battery_level: 'Bateria',
    brand: 'Marca',
    communication_media: 'Conexão',
    emv_kernel_version: 'Kernel EMV',
    gprs_signal: 'Sinal',
    model: 'Modelo',
    os_version: 'Sistema operacional',
    signature: 'Assinatura',
    sim_card_id: 'Chip (SIM)',
    ssa_version: 'Versão SSA',
    ssl: 'TLS',
  },
});

type Names = Readonly<Record<string, string | undefined>>;

/** The word for an action of the ledger, for example "Changed"; the action itself where there is none. */
export function useActionName(): (action: string) => string {
  const names: Names = useTexts(actions);
  return (action) => names[action.toLowerCase()] ?? action;
}

/** The word for a field of the ledger, for example "Battery" for meta.battery_level; the field itself where there is none. */
export function useFieldName(): (field: string) => string {
  const names: Names = useTexts(fields);
  const metaNames: Names = useTexts(meta);
  return (field) => {
    const [, property] = /^meta\.(.+)$/.exec(field) ?? [];
    return property === undefined ? (names[field] ?? field) : (metaNames[property] ?? property);
  };
}
