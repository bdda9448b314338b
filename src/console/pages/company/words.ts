import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  action: ['What', 'O quê'],
  addMember: ['Add member', 'Adicionar membro'],
  added: [
    'Give this first password to the person. It is shown only this once.',
    'Passe esta primeira senha à pessoa. Ela é mostrada só desta vez.',
  ],
  at: ['When', 'Quando'],
  by: ['By', 'Por'],
  changes: ['Changes', 'Alterações'],
  company: ['Company', 'Empresa'],
  email: ['E-mail', 'E-mail'],
  entity: ['Record', 'Registro'],
  kind: ['Kind of record', 'Tipo de registro'],
  lastSignIn: ['Last sign-in', 'Última entrada'],
  ledger: ['Change history', 'Histórico de alterações'],
  locked: ['Locked', 'Bloqueado'],
  manage: ['Manage', 'Gerenciar'],
  members: ['Members', 'Membros'],
  noEntries: ['Nothing was changed yet.', 'Nada foi alterado ainda.'],
  noMembers: ['No members yet.', 'Nenhum membro ainda.'],
  password: ['First password', 'Primeira senha'],
  removeMember: ['Remove from the company', 'Remover da empresa'],
  removeHelp: [
    'The tokens and sessions of the person for this company end.',
    'Os tokens e sessões da pessoa nesta empresa são encerrados.',
  ],
  settings: ['Company and server', 'Empresa e servidor'],
  showRecord: ['Show the record as it is now', 'Mostrar o registro como está agora'],
  zoneOfTerminals: ['Time zone of terminals', 'Fuso horário dos terminais'],
  timeZoneHelp: [
    'In which terminals show times, for example of messages.',
    'No qual os terminais mostram horários.',
  ],
  unlock: ['Unlock', 'Desbloquear'],
  valid: ['Valid', 'Ativo'],
});

export const useText = () => useTexts(words);
