import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  urlHelp: ['https; redirects are not followed.', 'https; redirecionamentos não são seguidos.'],
  deliveredSequence: ['Sent up to', 'Enviado até'],
  events: ['Events', 'Eventos'],
  eventsHelp: [
    'For example device.update, group.* or *, separated by commas.',
    'Por exemplo device.update, group.* ou *, separados por vírgulas.',
  ],
  exports: ['Scheduled exports', 'Exportações agendadas'],
  failingSince: ['Fails since', 'Falha desde'],
  fromSequence: ['From entry', 'A partir da entrada'],
  fromHelp: [
    'Number in the change history. Empty: from now on.',
    'Número no histórico de alterações. Vazio: a partir de agora.',
  ],
  keepOldFor: ['Sign with the old secret too for', 'Assinar também com o segredo anterior por'],
  lastFailure: ['Reason', 'Motivo'],
  lastFailureAt: ['Last failure', 'Última falha'],
  lastSuccessAt: ['Last success', 'Último sucesso'],
  newWebhook: ['New webhook', 'Novo webhook'],
  nextAttemptAt: ['Next attempt', 'Próxima tentativa'],
  oldSecretUntil: ['Old secret until', 'Segredo anterior até'],
  replay: ['Send again', 'Enviar de novo'],
  replayHelp: [
    'All entries from this one on are sent again, with the ids that they had.',
    'Todas as entradas a partir desta são enviadas de novo, com os mesmos ids.',
  ],
  replayDone: ['Is sent again', 'Será enviado de novo'],
  rotate: ['New secret', 'Novo segredo'],
  rotateDone: ['The secret is new', 'O segredo é novo'],
  secret: ['Secret', 'Segredo'],
  test: ['Send a test', 'Enviar um teste'],
  testDone: ['The test was taken', 'O teste foi aceito'],
  ACTIVE: ['Active', 'Ativo'],
  FAILING: ['Failing', 'Com falhas'],
  DISABLED: ['Disabled', 'Desabilitado'],
});
