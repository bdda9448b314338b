import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  app: ['App that gets it', 'Aplicativo que a recebe'],
  cancelSending: ['Cancel notification', 'Cancelar notificação'],
  cancelHelp: [
    'Terminals that have not got it will not get it any more.',
    'Terminais que ainda não a receberam não vão mais recebê-la.',
  ],
  content: ['Message', 'Mensagem'],
  contentHelp: [
    'The text that terminals show, for example "Closed on Sunday".',
    'O texto que os terminais mostram, por exemplo "Fechado no domingo".',
  ],
  created: ['Sent', 'Enviada'],
  createdBy: ['Sent by', 'Enviada por'],
  deliveryState: ['Has deliveries', 'Tem entregas'],
  expires: ['Delivered until', 'Entregue até'],
  finished: ['Finished', 'Concluída'],
  logicalNumbersHelp: ['One a line, or separated by commas.', 'Um por linha, ou separados por vírgulas.'],
  noNotifications: [
    'No notification was sent yet. Send the first one to a group.',
    'Nenhuma notificação foi enviada ainda. Envie a primeira a um grupo.',
  ],
  noDeliveries: ['Nothing to deliver.', 'Nada a entregar.'],
  notifications: ['Notifications', 'Notificações'],
  progress: ['Progress', 'Progresso'],
  reach: [
    (count: string) => `Goes to ${count} logical numbers`,
    (count: string) => `Vai para ${count} números lógicos`,
  ],
  retry: ['Send again to those that failed', 'Enviar de novo às que falharam'],
  send: ['Send notification', 'Enviar notificação'],
  sendNow: ['Send', 'Enviar'],
  sent: ['Handed over', 'Encaminhada'],
  sentTo: [
    (count: string) => `Sent to ${count} logical numbers`,
    (count: string) => `Enviada a ${count} números lógicos`,
  ],
  target: ['Target', 'Destino'],
  toGroup: ['A group', 'Um grupo'],
  toNumbers: ['Logical numbers', 'Números lógicos'],
  PROCESSING: ['For an app', 'Para um aplicativo'],
  SHOW: ['Shown to people', 'Mostrada às pessoas'],
  CANCELLED: ['Cancelled', 'Cancelada'],
  DELIVERED: ['Delivered', 'Entregue'],
  EXPIRED: ['Expired', 'Expirada'],
  FAILED: ['Failed', 'Falhou'],
  QUEUED: ['Waiting', 'Aguardando'],
  SENT: ['Handed over', 'Encaminhada'],
});

export const useText = () => useTexts(words);

/** Text of a message without the action before it: "SHOW_MESSAGE|Closed" is "Closed". */
export const messageOf = (content: string): string => content.slice(content.indexOf('|') + 1);
