import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

export const words = pageWords({
  admittedSince: ['It was admitted since.', 'Depois disso foi aceito.'],
  adopt: ['Adopt', 'Adotar'],
  adopted: ['Adopted', 'Adotado'],
  adoptHelp: [
    'Without a logical number they stay refused until they are assigned to one.',
    'Sem número lógico continuam recusados até serem vinculados a um.',
  ],
  APP: ['App', 'Aplicativo'],
  assign: ['Assign to a number', 'Vincular a um número'],
  assigned: ['Assigned', 'Vinculado'],
  badCharacter: ['Has a control or invisible character', 'Tem caractere de controle ou invisível'],
  copyResults: ['Copy results', 'Copiar resultados'],
  createDevice: ['Create device', 'Criar dispositivo'],
  deleteEffect: [
    'Their tokens end and their terminals are refused. Transactions stay. This cannot be undone.',
    'Os tokens deixam de valer e os terminais são recusados. As transações permanecem. Não é possível desfazer.',
  ],
  disableEffect: [
    'Their terminals are refused from the next request on: no payments, software or messages.',
    'Os terminais são recusados a partir da próxima solicitação: sem pagamentos, software nem mensagens.',
  ],
  duplicate: [(line: number) => `Also in line ${line}`, (line: number) => `Também na linha ${line}`],
  enableEffect: [
    'Their terminals are admitted from the next request on.',
    'Os terminais são aceitos a partir da próxima solicitação.',
  ],
  enrol: ['Enrol devices', 'Cadastrar dispositivos'],
  enrolHelp: [
    'One serial number a line, or a file with them in its first column. At most 1,000.',
    'Um número de série por linha, ou um arquivo com eles na primeira coluna. No máximo 1.000.',
  ],
  enrolled: ['Enrolled', 'Cadastrado'],
  enrolledCount: [
    (count: string, all: string) => `${count} of ${all} enrolled.`,
    (count: string, all: string) => `${count} de ${all} cadastrados.`,
  ],
  FILE: ['File', 'Arquivo'],
  firstSeen: ['First seen', 'Visto pela primeira vez'],
  hasNumber: ['Has a logical number', 'Tem número lógico'],
  hasReported: ['Has reported', 'Já informou dados'],
  issueEffect: [
    'A token that the terminal has now ends at once.',
    'Um token que o terminal já tenha deixa de valer na hora.',
  ],
  lacksVersion: ['Lacks app version', 'Não tem a versão de aplicativo'],
  issueToken: ['Issue token', 'Emitir token'],
  KEY: [
    'its key has an equals sign or quotes, so params.dat cannot have it',
    'a chave tem sinal de igual ou aspas, e o params.dat não a aceita',
  ],
  label: ['Label on the terminal', 'Rótulo no terminal'],
  line: ['Line', 'Linha'],
  manifest: ['What it gets', 'O que recebe'],
  marked: [
    (ready: string, marked: string) => `${ready} to enrol, ${marked} left out`,
    (ready: string, marked: string) => `${ready} a cadastrar, ${marked} de fora`,
  ],
  mayWork: ['The terminal may work', 'O terminal pode operar'],
  model: ['Model', 'Modelo'],
  NAME: [
    'its name has a character that terminals do not read',
    'o nome tem um caractere que os terminais não leem',
  ],
  NEVER_SEEN: ['Never seen', 'Nunca visto'],
  NO_BYTES: ['the version has no bytecode: upload it', 'a versão não tem bytecode: envie o arquivo'],
  noApps: [
    'No app versions. Grant some to the logical number.',
    'Nenhuma versão de aplicativo. Libere alguma para o número lógico.',
  ],
  noDevices: [
    'No devices yet. Enrol the first ones from a list of serial numbers.',
    'Nenhum dispositivo ainda. Cadastre os primeiros a partir de uma lista de números de série.',
  ],
  noFiles: [
    'No files. They come with app versions.',
    'Nenhum arquivo. Eles vêm com as versões de aplicativos.',
  ],
  noManifest: [
    'Without a logical number, the terminal gets nothing. Assign the device to one.',
    'Sem número lógico, o terminal não recebe nada. Vincule o dispositivo a um número.',
  ],
  noDeliveries: ['No notification was sent to it yet.', 'Nenhuma notificação enviada ainda.'],
  notification: ['Notification', 'Notificação'],
  sent: ['Sent', 'Enviada'],
  notEnrolled: ['Not enrolled', 'Não cadastrado'],
  noUnknown: [
    'No unknown terminal has called. New ones appear here within ten seconds.',
    'Nenhum terminal desconhecido chamou. Os novos aparecem aqui em até dez segundos.',
  ],
  OFFLINE: ['Offline', 'Offline'],
  omitted: ['Left out:', 'Ficou de fora:'],
  ONLINE: ['Online', 'Online'],
  PARAMETER: ['Parameter', 'Parâmetro'],
  policy: ['If the server refuses one of them', 'Se o servidor recusar algum deles'],
  ready: ['Ready', 'Pronto'],
  refusals: ['Refusals', 'Recusas'],
  refused: ['Last refused', 'Última recusa'],
  rejectAll: ['Enrol none', 'Não cadastrar nenhum'],
  rejectFailed: ['Enrol the others', 'Cadastrar os outros'],
  reported: ['Reported by the terminal', 'Informado pelo terminal'],
  result: ['Result', 'Resultado'],
  revokeEffect: [
    'The terminal is refused until it has another token.',
    'O terminal é recusado até ter outro token.',
  ],
  revokeToken: ['Revoke token', 'Revogar token'],
  SAME_NAME: ['another app or file has the same name', 'outro aplicativo ou arquivo tem o mesmo nome'],
  saveResults: ['Save as CSV', 'Salvar como CSV'],
  serialNumbers: ['Serial numbers', 'Números de série'],
  shownFirst: [
    (count: string) => `Only ${count} lines are shown here.`,
    (count: string) => `Aqui são mostradas só ${count} linhas.`,
  ],
  STALE: ['Silent', 'Silencioso'],
  TERMINAL_DISABLED: [
    'Refused because the device is disabled',
    'Recusado porque o dispositivo está desabilitado',
  ],
  TERMINAL_DISABLED_ADVICE: [
    'Enable the device, so that its terminal is admitted.',
    'Habilite o dispositivo para que o terminal seja aceito.',
  ],
  TERMINAL_UNASSIGNED: [
    'Refused because the device has no logical number',
    'Recusado porque o dispositivo não tem número lógico',
  ],
  TERMINAL_UNASSIGNED_ADVICE: [
    'Assign it to a logical number, so that its terminal is admitted.',
    'Vincule-o a um número lógico para que o terminal seja aceito.',
  ],
  token: ['Token of the terminal', 'Token do terminal'],
  tokenHelp: [
    'With its token the terminal calls the service. It is shown once, when it is issued.',
    'Com o token, o terminal acessa o serviço. Ele é mostrado uma única vez, na emissão.',
  ],
  tokenOnce: [
    'Copy the token now: it is not shown again.',
    'Copie o token agora: ele não será mostrado de novo.',
  ],
  tokenRevoked: ['Token revoked', 'Token revogado'],
  tooLong: ['More than 64 characters', 'Mais de 64 caracteres'],
  tooMany: ['Beyond the first 1,000', 'Além dos primeiros 1.000'],
  unknownHelp: [
    'A gateway spoke for these serial numbers, and no device has them, so they are refused. Adopt those that are yours.',
    'Um gateway falou por estes números de série e nenhum dispositivo os tem; por isso são recusados. Adote os que são seus.',
  ],
  unknownTerminals: ['Unknown terminals', 'Terminais desconhecidos'],
  VALUE: [
    'its value has a line break, so params.dat cannot have it',
    'o valor tem quebra de linha, e o params.dat não o aceita',
  ],
  version: ['Framework version', 'Versão do framework'],
  wasRefused: ['Was refused', 'Já foi recusado'],
});

export const useText = () => useTexts(words);
