import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  action: ['What', 'O quê'],
  at: ['When', 'Quando'],
  actor: ['By', 'Por'],
  byJob: ['Made by a job', 'Feita por uma tarefa'],
  changes: ['Changes', 'Alterações'],
  changesOfJob: ['Records', 'Registros'],
  entity: ['Record', 'Registro'],
  asked: [
    (email: string) => `${email} has an account, and becomes a member by accepting the invitation.`,
    (email: string) => `${email} já tem uma conta e se torna membro ao aceitar o convite.`,
  ],
  inviteMember: ['Invite member', 'Convidar membro'],
  entityKind: ['Kind of record', 'Tipo de registro'],
  lastSignInAt: ['Last sign-in', 'Última entrada'],
  link: [
    'Link for the person, to choose a password within 72 hours',
    'Link para a pessoa escolher uma senha em até 72 horas',
  ],
  LOCKED: ['Locked', 'Bloqueado'],
  noEntries: ['Nothing was changed yet.', 'Nada foi alterado ainda.'],
  resetPasswordDone: ['The link is made.', 'O link foi criado.'],
  resetPasswordHelp: [
    'Makes a link to choose a new password, which is e-mailed if this server sends e-mail. The old one works until then.',
    'Cria um link para escolher uma nova senha, enviado por e-mail se este servidor os envia. A antiga vale até lá.',
  ],
  resetPassword: ['Link for a new password', 'Link para nova senha'],
  removeMember: ['Remove from the company', 'Remover da empresa'],
  removeMemberHelp: [
    'Tokens and sessions for this company end.',
    'Os tokens e sessões nesta empresa terminam.',
  ],
  removePasskeys: [
    'Remove passkeys and recovery codes, which the person has lost',
    'Remover chaves de acesso e códigos de recuperação, que a pessoa perdeu',
  ],
  removeMemberDone: ['Removed', 'Removido'],
  setRole: ['Set role', 'Definir papel'],
  setTimeZone: ['Set time zone', 'Definir fuso horário'],
  showRecord: ['Show the record as it is now', 'Mostrar o registro como está agora'],
  timeZone: ['Time zone of terminals', 'Fuso horário dos terminais'],
  timeZoneHelp: ['In which terminals show times.', 'No qual os terminais mostram horários.'],
  unlock: ['Unlock', 'Desbloquear'],
  ACTIVE: ['Valid', 'Ativo'],
  DISABLED: ['Disabled', 'Desabilitado'],
});
