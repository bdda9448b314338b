import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  action: ['What', 'O quê'],
  at: ['When', 'Quando'],
  by: ['By', 'Por'],
  changes: ['Changes', 'Alterações'],
  company: ['Company', 'Empresa'],
  email: ['E-mail', 'E-mail'],
  entity: ['Record', 'Registro'],
  inviteMember: ['Invite member', 'Convidar membro'],
  kind: ['Kind of record', 'Tipo de registro'],
  lastSignIn: ['Last sign-in', 'Última entrada'],
  locked: ['Locked', 'Bloqueado'],
  noEntries: ['Nothing was changed yet.', 'Nada foi alterado ainda.'],
  noMembers: ['No members yet.', 'Nenhum membro ainda.'],
  passwordLink: [
    'Link for the person, to choose a password within 72 hours',
    'Link para a pessoa escolher uma senha em até 72 horas',
  ],
  passwordReset: ['The link is made.', 'O link foi criado.'],
  passwordResetHelp: [
    'The person gets a link to choose a new password. The old one works until then.',
    'A pessoa recebe um link para escolher uma nova senha. A antiga vale até lá.',
  ],
  resetPassword: ['Link for a new password', 'Link para nova senha'],
  removeMember: ['Remove from the company', 'Remover da empresa'],
  removeHelp: ['Tokens and sessions for this company end.', 'Os tokens e sessões nesta empresa terminam.'],
  removePasskeys: [
    'Remove passkeys and recovery codes, which the person has lost',
    'Remover chaves de acesso e códigos de recuperação, que a pessoa perdeu',
  ],
  removed: ['Removed', 'Removido'],
  setRole: ['Set role', 'Definir papel'],
  setTimeZone: ['Set time zone', 'Definir fuso horário'],
  settings: ['Company and server', 'Empresa e servidor'],
  showRecord: ['Show the record as it is now', 'Mostrar o registro como está agora'],
  zoneOfTerminals: ['Time zone of terminals', 'Fuso horário dos terminais'],
  timeZoneHelp: ['In which terminals show times.', 'No qual os terminais mostram horários.'],
  unlock: ['Unlock', 'Desbloquear'],
  valid: ['Valid', 'Ativo'],
});

export const useText = () => useTexts(words);
