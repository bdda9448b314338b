import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  numbers: [(count: string) => `${count} logical numbers`, (count: string) => `${count} números lógicos`],
  forApp: ['App that gets it', 'Aplicativo que a recebe'],
  cancelSending: ['Cancel notification', 'Cancelar notificação'],
  cancelHelp: ['Terminals without it will not get it any more.', 'Terminais sem ela não vão mais recebê-la.'],
  content: ['Message', 'Mensagem'],
  contentHelp: ['For example "Closed on Sunday"', 'Por exemplo "Fechado no domingo"'],
  createdAt: ['Sent', 'Enviada'],
  queuedAt: ['Sent', 'Enviada'],
  createdBy: ['Sent by', 'Enviada por'],
  deliveryState: ['Has deliveries', 'Tem entregas'],
  expiresAt: ['Delivered until', 'Entregue até'],
  finishedAt: ['Finished', 'Concluída'],
  logicalNumbersHelp: ['One a line, or separated by commas.', 'Um por linha, ou separados por vírgulas.'],
  notifications: ['Notifications', 'Notificações'],
  progress: ['Progress', 'Progresso'],
  retry: ['Send again to those that failed', 'Enviar de novo às que falharam'],
  send: ['Send notification', 'Enviar notificação'],
  sendNow: ['Send', 'Enviar'],
  sentTo: ['Sent to', 'Enviada a'],
  target: ['Target', 'Destino'],
  PROCESSING: ['For an app', 'Para um aplicativo'],
  SHOW: ['Shown to people', 'Mostrada às pessoas'],
  CANCELLED: ['Cancelled', 'Cancelada'],
  DELIVERED: ['Delivered', 'Entregue'],
  EXPIRED: ['Expired', 'Expirada'],
  FAILED: ['Failed', 'Falhou'],
  QUEUED: ['Waiting', 'Aguardando'],
  SENT: ['Handed over', 'Encaminhada'],
});

/** Text of a message without the action before it: "SHOW_MESSAGE|Closed" is "Closed". */
export const messageOf = (content: string): string => content.slice(content.indexOf('|') + 1);
