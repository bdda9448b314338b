import { pageTexts } from '../../ui/words';

const inEnglish = (count: string): string => `${count} ${count === '1' ? 'terminal' : 'terminals'}`;
const inPortuguese = (count: string): string => `${count} ${count === '1' ? 'terminal' : 'terminais'}`;

/** Time that passes at least from the begin of a wave on; nothing if it is empty. */
const notBefore = (time: string): string => time && `, but not before ${time} after this wave began`;
const apos = (time: string): string => time && `, no mínimo ${time} após o início desta onda`;

export const useText = pageTexts({
  terminalCount: [inEnglish, inPortuguese],
  waveOf: [
    (number: number, all: number) => `Wave ${number} of ${all}`,
    (number: number, all: number) => `Onda ${number} de ${all}`,
  ],
  about: [
    'A rollout gives new app versions to a few terminals first, and to more of them once these have sold with it. It stops by itself if terminals cannot install it.',
    'Uma implantação dá novas versões de aplicativos primeiro a poucos terminais, e a mais deles quando esses já venderam com elas. Ela para sozinha se terminais não conseguem instalar.',
  ],
  addWave: ['Add wave', 'Adicionar onda'],
  approvalDropPercent: ['Points by which approved payments fall', 'Pontos de queda nos pagamentos aprovados'],
  approvalDropPercentHelp: [
    'In the share approved: against the week before and the terminals that wait',
    'Na parcela aprovada: contra a semana anterior e os terminais que aguardam',
  ],
  approvedPercent: ['Approved', 'Aprovados'],
  attach: ['Allow them for the group', 'Permitir no grupo'],
  before: ['A week before', 'Uma semana antes'],
  by: ['Which terminals', 'Quais terminais'],
  canNot: [
    'None of these terminals can get the versions: see above why each is left out.',
    'Nenhum destes terminais pode receber as versões: veja acima por que cada um fica de fora.',
  ],
  continueDraft: ['Continue draft', 'Continuar rascunho'],
  conditions: ['When it stops by itself', 'Quando para sozinha'],
  deadline: ['Not finished by', 'Não terminou até'],
  discardDraft: ['Discard draft', 'Descartar rascunho'],
  draft: ['Who gets it, and who does not', 'Quem recebe e quem não recebe'],
  draftHelp: [
    'What you enter is kept in this tab as a draft, also when you close it or load the page again.',
    'O que você preenche fica nesta aba como rascunho, mesmo se fechar ou recarregar a página.',
  ],
  examples: ['For example', 'Por exemplo'],
  failedCount: ['Terminals that could not install it', 'Terminais que não conseguiram instalar'],
  failedPercent: [
    'Percent of a wave that could not install it',
    'Por cento de uma onda que não conseguiu instalar',
  ],
  figuresAt: ['As of', 'Situação de'],
  finishesAt: [
    (percent: number, time: string) =>
      `It is finished when ${percent} % of them have sold with it${notBefore(time)}.`,
    (percent: number, time: string) =>
      `Termina quando ${percent} % deles tiverem vendido com ela${apos(time)}.`,
  ],
  firstWave: [
    (count: string) => `The first wave has ${inEnglish(count)}; the others wait for it.`,
    (count: string) => `A primeira onda tem ${inPortuguese(count)}; as outras esperam por ela.`,
  ],
  from: ['From (hour)', 'Das (hora)'],
  gaveBack: [
    (done: string, all: string) => `Got back what they had: ${done} of ${inEnglish(all)}`,
    (done: string, all: string) => `Receberam de volta o que tinham: ${done} de ${inPortuguese(all)}`,
  ],
  goesOnAt: [
    (percent: number, time: string) =>
      `The next wave begins when ${percent} % of them have sold with it${notBefore(time)}.`,
    (percent: number, time: string) =>
      `A próxima onda começa quando ${percent} % deles tiverem vendido com ela${apos(time)}.`,
  ],
  grantedAt: ['Got it', 'Recebeu'],
  hasHours: ['Waves begin only at certain hours', 'Ondas só começam em certas horas'],
  hours: ['When it begins', 'Quando começa'],
  leaveOut: ['Leave out', 'Deixar de fora'],
  leaveOutHelp: [
    'No wave waits for it or counts it any more. It keeps what it has got.',
    'Nenhuma onda espera por ele nem o conta mais. Ele mantém o que recebeu.',
  ],
  leftOut: [
    (count: string) => `Left out when it was planned: ${inEnglish(count)}`,
    (count: string) => `Ficaram de fora quando foi planejada: ${inPortuguese(count)}`,
  ],
  minDuration: ['Hours to wait', 'Horas de espera'],
  minDurationHelp: ['At least, before it goes on', 'No mínimo, antes de prosseguir'],
  minProvenPercent: ['Sold with it (%)', 'Já venderam com ela (%)'],
  minProvenPercentHelp: ['Needed before it goes on', 'Necessário para prosseguir'],
  nameHelp: ['If empty, the name of the versions.', 'Se vazio, o nome das versões.'],
  newRollout: ['New rollout', 'Nova implantação'],
  notAttached: [
    'Terminals get only versions that their group allows. Allowing them gives them to no terminal yet: the waves do.',
    'Terminais só recebem versões que o grupo permite. Permitir ainda não as dá a nenhum terminal: as ondas o fazem.',
  ],
  now: ['Now', 'Agora'],
  obstacle: ['Left out because', 'Ficou de fora porque'],
  passWave: ['Go on now', 'Prosseguir agora'],
  passWaveHelp: [
    'It goes on as if the wave had passed: the next wave begins, however few of this one have sold with it.',
    'Prossegue como se a onda tivesse passado: a próxima começa, por menos que esta tenha vendido com ela.',
  ],
  pause: ['Pause', 'Pausar'],
  pauseHelp: [
    'Pause: no further terminal gets it. Those that have got it keep it, and go on installing it.',
    'Pausar: nenhum outro terminal recebe. Os que já receberam mantêm e continuam a instalar.',
  ],
  paused: [
    (count: string) =>
      `No further terminal gets it until you resume. Already on the way, and still installing it: ${inEnglish(count)}`,
    (count: string) =>
      `Nenhum outro terminal recebe até você retomar. A caminho, e continuam a instalar: ${inPortuguese(count)}`,
  ],
  payments: ['Payments', 'Pagamentos'],
  percent: ['Percent', 'Por cento'],
  percentHelp: ['Of all, drawn by chance', 'De todos, por sorteio'],
  perTerminalDay: ['Terminal/day', 'Terminal/dia'],
  progress: ['Progress', 'Andamento'],
  reason: ['Reason', 'Motivo'],
  removeWave: ['Remove wave', 'Remover onda'],
  rest: ['All others', 'Todos os outros'],
  resume: ['Resume', 'Retomar'],
  review: ['Review and start', 'Conferir e iniciar'],
  showChanged: ['Show what it changed', 'Mostrar o que alterou'],
  silentPercent: [
    'Percent of a wave that sent nothing since',
    'Por cento de uma onda que nada enviou desde então',
  ],
  start: ['Start', 'Iniciar'],
  startAt: ['Starts', 'Inicia'],
  startAtHelp: ['At once, if empty', 'Na hora, se vazio'],
  startAtTime: [
    (time: string, count: string, all: string) => `Start on ${time} for ${count} of ${inEnglish(all)}?`,
    (time: string, count: string, all: string) => `Iniciar em ${time} para ${count} de ${inPortuguese(all)}?`,
  ],
  startInHours: [
    (hours: string, count: string, all: string) => `Start at ${hours} for ${count} of ${inEnglish(all)}?`,
    (hours: string, count: string, all: string) =>
      `Iniciar às ${hours} para ${count} de ${inPortuguese(all)}?`,
  ],
  startNow: [
    (count: string, all: string) => `Start now for ${count} of ${inEnglish(all)}?`,
    (count: string, all: string) => `Iniciar agora para ${count} de ${inPortuguese(all)}?`,
  ],
  startHelp: [
    'You can pause it at any time, and undo it: then terminals get back what they had.',
    'Você pode pausar a qualquer momento e desfazer: os terminais recebem de volta o que tinham.',
  ],
  stayAttached: [
    'Their groups still allow them. Versions that are not to be used again can be taken from the groups there:',
    'Os grupos ainda as permitem. Versões que não serão mais usadas podem ser retiradas dos grupos ali:',
  ],
  stopsAt: ['It stops by itself when there are', 'Ela para sozinha quando há'],
  terminals: ['Terminals', 'Terminais'],
  to: ['To (hour)', 'Até as (hora)'],
  undoHelp: [
    (count: string, versions: string) =>
      `Back to ${versions}: ${inEnglish(count)}, as far as the group still allows it.`,
    (count: string, versions: string) =>
      `De volta a ${versions}: ${inPortuguese(count)}, se o grupo ainda permite.`,
  ],
  undoNothing: [
    (count: string) => `Taken back from ${inEnglish(count)}. None had another version of the app before.`,
    (count: string) => `Retirada de ${inPortuguese(count)}. Nenhum tinha outra versão do aplicativo antes.`,
  ],
  undoRollout: ['Undo rollout', 'Desfazer implantação'],
  unmovedSince: ['No terminal of the wave has moved since', 'Nenhum terminal da onda avançou desde'],
  waiting: ['Those that wait', 'Os que aguardam'],
  wave: ['Wave', 'Onda'],
  waves: ['Waves', 'Ondas'],
  wavesAndConditions: ['Change waves, conditions and hours', 'Mudar ondas, condições e horários'],
  withoutTerminal: ['Logical numbers without a device', 'Números lógicos sem dispositivo'],
  zone: ['Time zone', 'Fuso horário'],
  BEGUN: ['Under way', 'Em andamento'],
  PASSED: ['Done', 'Concluída'],
  PLANNED: ['Planned', 'Planejada'],
  RUNNING: ['Running', 'Em andamento'],
  PAUSED: ['Paused', 'Pausada'],
  STOPPED_BY_FAILURES: ['Stopped', 'Parou'],
  FINISHED: ['Finished', 'Concluída'],
  UNDONE: ['Undone', 'Desfeita'],
  WAITING: ['Waiting', 'Aguardando'],
  EXCLUDED: ['Left out', 'De fora'],
  GRANTED: ['On the way', 'A caminho'],
  PROVEN: ['Sold with it', 'Venderam com ela'],
  FAILED: ['Could not install it', 'Não instalaram'],
  DISABLED: ['Device disabled', 'Dispositivo desabilitado'],
  SILENT: ['Silent for seven days', 'Silencioso há sete dias'],
  NOT_ATTACHED: ['Group does not allow the versions', 'Grupo não permite as versões'],
  MOVED: ['Has another number', 'Tem outro número'],
  LEFT_OUT: ['By a person', 'Por uma pessoa'],
  DELETED: ['Device deleted', 'Dispositivo excluído'],
});
