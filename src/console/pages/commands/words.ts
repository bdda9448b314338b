import { kindNames } from '../../record/history-values';
import { useTexts } from '../../text';
import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  action: ['Action', 'Ação'],
  allTerminals: ['All terminals of the command:', 'Todos os terminais do comando:'],
  cancelAll: ['Cancel for all', 'Cancelar em todos'],
  cancelCommand: ['Cancel command', 'Cancelar comando'],
  cancelCommandHelp: [
    'Terminals that have not been given it will not get it any more. A terminal that has it may still do it.',
    'Terminais que ainda não o receberam não o recebem mais. Um terminal que já o tem ainda pode executá-lo.',
  ],
  cancelCommandDone: ['Command cancelled', 'Comando cancelado'],
  command: ['Command', 'Comando'],
  createdAt: ['Sent', 'Enviado'],
  createdBy: ['Sent by', 'Enviado por'],
  detail: ['Detail', 'Detalhe'],
  expiresAt: ['Until', 'Até'],
  lasts: ['Terminals may do it for', 'Terminais podem executá-lo por'],
  OWN_WORD: ['Another word of the firmware', 'Outra palavra do firmware'],
  parametersHelp: ['One a line, at most 4.', 'Um por linha, no máximo 4.'],
  resetWarning: [
    'Each terminal loses its configuration: it may have to be set up by hand before it works again.',
    'Cada terminal perde a configuração: talvez precise ser configurado à mão para voltar a operar.',
  ],
  sendCommandDone: ['Command sent', 'Comando enviado'],
  sendCommandHelp: [
    'A terminal gets it when it is connected. The same action that still waits is replaced.',
    'O terminal o recebe quando está conectado. A mesma ação que ainda aguarda é substituída.',
  ],
  summary: ['Terminals', 'Terminais'],
  terminals: ['Terminals', 'Terminais'],
  unknownIfDone: ['Not known if done', 'Não se sabe se foi feito'],
  urgent: ['Urgent', 'Urgente'],
  urgentFirst: ['Urgent: before other commands', 'Urgente: antes de outros comandos'],
  word: ['Word of the firmware', 'Palavra do firmware'],
  wordHelp: ['Of A to Z, digits and _.', 'De A a Z, algarismos e _.'],
  CANCELLED: ['Cancelled', 'Cancelado'],
  CONFIRMED: ['Confirmed', 'Confirmado'],
  DONE: ['Done', 'Feito'],
  ENDED: ['Ended', 'Encerrado'],
  EXPIRED: ['Expired', 'Expirado'],
  OPEN: ['Under way', 'Em andamento'],
  REPLACED: ['Sent again', 'Reenviado'],
  SENT: ['Handed over', 'Entregue'],
  WAITING: ['Waiting', 'Aguardando'],
});

/** All words of commands, with those of their actions. */
export const useCommandWords = () => ({ ...useTexts(kindNames), ...useText() });

interface Named {
  readonly action: string;
  readonly parameters: readonly string[];
}

/** Says a command in words: "Send log: today". */
export function useCommandName(): (command: Named) => string {
  const names: Readonly<Record<string, string>> = useTexts(kindNames);
  return ({ action, parameters }) =>
    [names[action] ?? action, parameters.join(', ')].filter((part) => part !== '').join(': ');
}
