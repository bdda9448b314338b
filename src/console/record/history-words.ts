import { texts, useTexts } from '../text';
import { pageWords } from '../ui/words';

const actions = texts({
  accept_loss: ['Loss accepted', 'Perda aceita'],
  cancel: ['Cancelled', 'Cancelado'],
  create: ['Created', 'Criado'],
  delete: ['Deleted', 'Excluído'],
  disable: ['Disabled', 'Desabilitado'],
  enable: ['Enabled', 'Habilitado'],
  end: ['Ended', 'Terminado'],
  fetch: ['Tokens fetched', 'Tokens baixados'],
  issue: ['Token issued', 'Token emitido'],
  record: ['Recorded', 'Registrado'],
  rename: ['Renamed', 'Renomeado'],
  renew: ['Token renewed', 'Token renovado'],
  report: ['Reported by the terminal', 'Informado pelo terminal'],
  retry: ['Sent again', 'Enviado de novo'],
  revoke: ['Token revoked', 'Token revogado'],
  set_password: ['Password set', 'Senha definida'],
  set_role: ['Role set', 'Papel definido'],
  sign_in: ['Signed in', 'Entrou'],
  sign_in_failed: ['Sign-in failed', 'Falha ao entrar'],
  sign_in_locked: ['Sign-in locked', 'Acesso bloqueado'],
  sign_in_refused: ['Sign-in refused', 'Acesso recusado'],
  sign_out: ['Signed out', 'Saiu'],
  switch_company: ['Company changed', 'Empresa trocada'],
  unlock: ['Unlocked', 'Desbloqueado'],
  update: ['Changed', 'Alterado'],
});

/** Fields that are not named as in `words`. */
const fields = pageWords({
  authorizerUrl: ['Authorizer URL', 'URL do autorizador'],
  content: ['Content', 'Conteúdo'],
  contentId: ['Bytes', 'Bytes'],
  defaultAppVersionIds: ['Default app versions', 'Versões padrão'],
  expiresAt: ['Expires', 'Expira'],
  moduleIds: ['Modules', 'Módulos'],
  queued: ['Terminals', 'Terminais'],
  range: ['Target', 'Destino'],
  scopes: ['Scopes', 'Escopos'],
  status: ['Status', 'Situação'],
});

/** Properties that terminals report. */
const meta = texts({
  battery_level: ['Battery', 'Bateria'],
  brand: ['Brand', 'Marca'],
  communication_media: ['Connection', 'Conexão'],
  emv_kernel_version: ['EMV kernel', 'Kernel EMV'],
  gprs_signal: ['Signal', 'Sinal'],
  model: ['Model', 'Modelo'],
  os_version: ['Operating system', 'Sistema operacional'],
  signature: ['Signature', 'Assinatura'],
  sim_card_id: ['SIM card', 'Chip (SIM)'],
  ssa_version: ['SSA version', 'Versão SSA'],
  ssl: ['TLS', 'TLS'],
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
    if (property !== undefined) return metaNames[property] ?? property;
    // Ids are shown as the names of their records.
    const record = field.replace(/Id(s?)$/, '$1');
    return names[field] ?? names[record] ?? field;
  };
}
