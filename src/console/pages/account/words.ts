import { texts, useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  account: ['Account', 'Conta'],
  browser: ['Browser', 'Navegador'],
  changePassword: ['Change password', 'Alterar senha'],
  current: ['This session', 'Esta sessão'],
  currentPassword: ['Current password', 'Senha atual'],
  end: ['End', 'Encerrar'],
  endHelp: [
    'The browser of this session has to sign in again.',
    'O navegador desta sessão terá de entrar de novo.',
  ],
  endTitle: ['End the session?', 'Encerrar a sessão?'],
  expires: ['Expires', 'Expira'],
  expiresOn: ['Expires on (empty: never)', 'Expira em (vazio: nunca)'],
  generate: ['Generate token', 'Gerar token'],
  ip: ['Address', 'Endereço'],
  lastUsed: ['Last used', 'Último uso'],
  newPassword: ['New password', 'Nova senha'],
  noTokens: [
    'No tokens. A back office or a dashboard needs one.',
    'Nenhum token. Um back office ou painel precisa de um.',
  ],
  passwordChanged: [
    'The password is changed. Other sessions have ended.',
    'A senha foi alterada. As outras sessões foram encerradas.',
  ],
  passwordHelp: [
    'At least 12 characters. All other sessions end.',
    'Pelo menos 12 caracteres. As outras sessões são encerradas.',
  ],
  password: ['Password', 'Senha'],
  profile: ['Profile', 'Perfil'],
  purpose: [
    'What the token is for, for example "Back office"',
    'Para que serve o token, por exemplo "Back office"',
  ],
  rate: [
    (remaining: string, limit: string) => `${remaining} of ${limit} requests left in this hour`,
    (remaining: string, limit: string) => `${remaining} de ${limit} solicitações restantes nesta hora`,
  ],
  renew: ['Renew', 'Renovar'],
  renewHelp: [
    'A new token takes its place. The old one ends at once.',
    'Um novo token toma o lugar dele. O antigo deixa de valer na hora.',
  ],
  renewTitle: [(name: string) => `Renew the token ${name}?`, (name: string) => `Renovar o token ${name}?`],
  revoke: ['Revoke', 'Revogar'],
  revoked: ['Revoked', 'Revogado'],
  revokeHelp: ['Requests with this token fail from now on.', 'Solicitações com este token passam a falhar.'],
  revokeTitle: [(name: string) => `Revoke the token ${name}?`, (name: string) => `Revogar o token ${name}?`],
  scopes: ['Rights', 'Permissões'],
  scopesHelp: ['Give only what the program needs.', 'Dê apenas o que o programa precisa.'],
  sessions: ['Sessions', 'Sessões'],
  signIn: ['Sign-in over the API', 'Entrada pela API'],
  token: ['Token', 'Token'],
  tokens: ['API tokens', 'Tokens da API'],
  tokenShown: [
    'Copy the token now. It is shown only this once.',
    'Copie o token agora. Ele é mostrado só desta vez.',
  ],
  READ: ['Read', 'Ler'],
  WRITE: ['Change', 'Alterar'],
  ADMIN: ['Administer', 'Administrar'],
  INGEST: ['Deliver transactions', 'Enviar transações'],
  TERMINALS: ['Speak for terminals', 'Falar por terminais'],
});

export const useText = () => useTexts(words);

/** Names of roles. */
export const roleNames = texts({
  VIEWER: ['Viewer', 'Leitor'],
  OPERATOR: ['Operator', 'Operador'],
  ADMIN: ['Administrator', 'Administrador'],
});
