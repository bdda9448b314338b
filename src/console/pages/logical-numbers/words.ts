import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  deleteHelp: [
    'Their parameters and metacontents are deleted too; their devices stay, without a number, and are refused. This cannot be undone.',
    'Os parâmetros e metaconteúdos também são excluídos; os dispositivos ficam, sem número, e são recusados. Não é possível desfazer.',
  ],
  force: ['Move even if terminals lose app versions', 'Mover mesmo que terminais percam versões'],
  hasDevice: ['Has a device', 'Tem dispositivo'],
  moveHelp: [
    'In another group, terminals keep only the app versions that this group has too.',
    'Em outro grupo, os terminais mantêm só as versões que esse grupo também tem.',
  ],
  moveDone: ['Moved', 'Movidos'],
  newNumber: ['New logical number', 'Novo número lógico'],
  noDevices: ['No device has this number. Assign one.', 'Nenhum dispositivo tem este número. Vincule um.'],
  noGroup: ['App versions come from a group: move it to one.', 'As versões vêm de um grupo: mova-o para um.'],
  noGroupVersions: ['Its group has no app versions. Attach some.', 'O grupo não tem versões. Anexe alguma.'],
  noParameters: [
    'No parameters. Add some here or to its group.',
    'Nenhum parâmetro. Adicione aqui ou ao grupo.',
  ],
  ofGroup: [(name: string) => `Group ${name}`, (name: string) => `Grupo ${name}`],
  overrides: [
    (value: string, name: string) => `instead of ${value} of the group ${name}`,
    (value: string, name: string) => `em vez de ${value} do grupo ${name}`,
  ],
  ownParameters: ['Own parameters', 'Parâmetros próprios'],
  ownValue: ['Own value', 'Valor próprio'],
  source: ['Comes from', 'Vem de'],
});
