import { texts, useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  account: ['Account', 'Conta'],
  addPasskey: ['Add passkey', 'Adicionar chave de acesso'],
  browser: ['Browser', 'Navegador'],
  changeEmail: ['Change e-mail', 'Alterar e-mail'],
  changePassword: ['Change password', 'Alterar senha'],
  codes: ['Recovery codes', 'Códigos de recuperação'],
  codesHelp: [
    'Keep these codes where only you find them. Each lets you in once, with your password, if you lose your passkeys. They are shown only now.',
    'Guarde estes códigos onde só você os encontre. Cada um permite entrar uma vez, com a senha, se você perder as chaves de acesso. Só são mostrados agora.',
  ],
  codesLeft: [
    (left: number) => `Recovery codes that are left: ${left}`,
    (left: number) => `Códigos de recuperação restantes: ${left}`,
  ],
  confirmByPasskey: ['Confirm with a passkey', 'Confirmar com chave de acesso'],
  current: ['This session', 'Esta sessão'],
  currentPassword: ['Current password', 'Senha atual'],
  emailSent: ['A link is on its way to the new address.', 'Um link está a caminho do novo endereço.'],
  end: ['End', 'Encerrar'],
  endHelp: ['Its browser has to sign in again.', 'O navegador dela terá de entrar de novo.'],
  expired: ['Expired', 'Expirou'],
  expires: ['Expires', 'Expira'],
  expiresOn: ['Expires on (empty: never)', 'Expira em (vazio: nunca)'],
  generate: ['Generate token', 'Gerar token'],
  ip: ['Address', 'Endereço'],
  lastUsed: ['Last used', 'Último uso'],
  newCodes: ['New recovery codes', 'Novos códigos de recuperação'],
  newCodesHelp: ['The codes that you have now end.', 'Os códigos que você tem agora deixam de valer.'],
  newEmail: ['New e-mail', 'Novo e-mail'],
  newEmailHelp: [
    'It changes once you open the link in an e-mail.',
    'Muda quando você abrir o link em um e-mail.',
  ],
  newPassword: ['New password', 'Nova senha'],
  noPasskeys: [
    'No passkeys. With one, a stolen password alone opens nothing.',
    'Nenhuma chave de acesso. Com uma, uma senha roubada não basta para entrar.',
  ],
  noTokens: ['No tokens. Programs need one.', 'Nenhum token. Programas precisam de um.'],
  passkeyName: ['For example "Telephone"', 'Por exemplo "Celular"'],
  passkeyNotMade: [
    'The browser made no passkey: it was cancelled, or this device has one already.',
    'O navegador não criou nenhuma chave de acesso: foi cancelado ou este dispositivo já tem uma.',
  ],
  passkeys: ['Passkeys', 'Chaves de acesso'],
  passwordChanged: ['The password is changed.', 'A senha foi alterada.'],
  passwordHelp: [
    'At least 12 characters. All other sessions end.',
    'Pelo menos 12 caracteres. As outras sessões são encerradas.',
  ],
  password: ['Password', 'Senha'],
  profile: ['Profile', 'Perfil'],
  purpose: ['For example "Back office"', 'Por exemplo "Back office"'],
  rate: ['Requests left in this hour', 'Solicitações restantes nesta hora'],
  renew: ['Renew', 'Renovar'],
  replaced: ['Replaced by', 'Substituído por'],
  revoke: ['Revoke', 'Revogar'],
  revoked: ['Revoked', 'Revogado'],
  revokeHelp: ['Requests with this token fail from now on.', 'Solicitações com este token passam a falhar.'],
  scopes: ['Rights', 'Permissões'],
  scopesHelp: ['Rights: give only what the program needs.', 'Permissões: dê só o que o programa precisa.'],
  sessions: ['Sessions', 'Sessões'],
  signIn: ['Sign-in over the API', 'Entrada pela API'],
  token: ['Token', 'Token'],
  tokens: ['API tokens', 'Tokens da API'],
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
