import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  approved: ['Approved', 'Aprovados'],
  attention: ['Needs attention', 'Precisa de atenção'],
  byHour: ['Payments of the day by hour', 'Pagamentos do dia por hora'],
  byPresence: ['Terminals by presence', 'Terminais por presença'],
  byVersion: ['Terminals by framework version', 'Terminais por versão do framework'],
  byGroup: ['Terminals by group', 'Terminais por grupo'],
  cancelled: ['Cancelled', 'Cancelados'],
  delivered: ['Delivered', 'Entregues'],
  deliveries: ['Deliveries', 'Entregas'],
  deliveriesByDay: ['Deliveries of the last 7 days', 'Entregas dos últimos 7 dias'],
  deliveriesByHour: ['Deliveries of the last 24 hours', 'Entregas das últimas 24 horas'],
  denied: ['Denied', 'Negados'],
  failed: ['Failed', 'Não entregues'],
  failedDeliveries: ['Notifications that were not delivered', 'Notificações que não foram entregues'],
  month: ['This month', 'Neste mês'],
  noNotifications: ['No notification was sent yet.', 'Nenhuma notificação foi enviada ainda.'],
  nothing: ['Nothing needs attention.', 'Nada precisa de atenção.'],
  overview: ['Overview', 'Visão geral'],
  payments: ['Payments', 'Pagamentos'],
  recent: ['Recent notifications', 'Notificações recentes'],
  refused: ['Terminals that were refused', 'Terminais recusados'],
  silent: ['Silent terminals', 'Terminais silenciosos'],
  offline: ['Terminals that are offline', 'Terminais offline'],
  today: ['Today', 'Hoje'],
  unknown: ['Unknown serial numbers', 'Números de série desconhecidos'],
  waiting: ['Waiting', 'Aguardando'],
  withoutNumber: ['Devices without a logical number', 'Dispositivos sem número lógico'],
});

export const useText = () => useTexts(words);
