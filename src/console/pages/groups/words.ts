import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  addNumber: ['Move a logical number here', 'Mover um número lógico para cá'],
  attach: ['Attach', 'Anexar'],
  getsNew: ['New numbers get it', 'Números novos recebem'],
  newGroup: ['New group', 'Novo grupo'],
  noGroups: ['No groups yet. Create the first one.', 'Nenhum grupo ainda. Crie o primeiro.'],
  noMetacontents: ['No metacontents in this group.', 'Nenhum metaconteúdo neste grupo.'],
  noNumbers: ['No logical numbers in this group.', 'Nenhum número lógico neste grupo.'],
  noVersions: ['No app versions in this group.', 'Nenhuma versão neste grupo.'],
  noParameters: ['No parameters in this group.', 'Nenhum parâmetro neste grupo.'],
});
