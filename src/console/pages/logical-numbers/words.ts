import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  deleteEffect: [
    'Their parameters and metacontents are deleted too; their devices stay, without a number, and are refused. This cannot be undone.',
    'Os parâmetros e metaconteúdos também são excluídos; os dispositivos ficam, sem número, e são recusados. Não é possível desfazer.',
  ],
  force: ['Save all the same', 'Salvar mesmo assim'],
  forceMove: ['Move even if terminals lose app versions', 'Mover mesmo que terminais percam versões'],
  hasDevice: ['Has a device', 'Tem dispositivo'],
  lossCount: [
    (count: number) =>
      count === 1 ? 'One terminal would lose app versions.' : `${count} terminals would lose app versions.`,
    (count: number) =>
      count === 1
        ? 'Um terminal perderia versões de aplicativos.'
        : `${count} terminais perderiam versões de aplicativos.`,
  ],
  losses: [
    'In another group, terminals keep only the app versions that this group has too.',
    'Em outro grupo, os terminais mantêm só as versões que esse grupo também tem.',
  ],
  move: ['Move to a group', 'Mover para um grupo'],
  moved: ['Moved', 'Movidos'],
  newNumber: ['New logical number', 'Novo número lógico'],
  noDevices: [
    'No device has this number. Assign one, so that a terminal can use it.',
    'Nenhum dispositivo tem este número. Vincule um para que um terminal possa usá-lo.',
  ],
  noGroup: [
    'App versions come from a group. Move the logical number to one first.',
    'As versões vêm de um grupo. Mova o número lógico para um grupo primeiro.',
  ],
  noGroupVersions: [
    'The group has no app versions. Attach some to it first.',
    'O grupo não tem versões de aplicativos. Anexe alguma a ele primeiro.',
  ],
  noNumbers: [
    'No logical numbers yet. Create the first one, then assign a device to it.',
    'Nenhum número lógico ainda. Crie o primeiro e vincule um dispositivo a ele.',
  ],
  number: ['Number', 'Número'],
  ownParameters: ['Own parameters', 'Parâmetros próprios'],
  versionsHelp: [
    'Versions of the group that the terminals get.',
    'Versões do grupo que os terminais recebem.',
  ],
});

export const useText = () => useTexts(words);
