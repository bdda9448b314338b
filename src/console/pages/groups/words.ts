import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  addNumber: ['Move a number here', 'Mover um número para cá'],
  attach: ['Attach', 'Anexar'],
  getsNew: ['New numbers get it', 'Números novos recebem'],
  newGroup: ['New group', 'Novo grupo'],
  noGroups: ['No groups yet. Create the first one.', 'Nenhum grupo ainda. Crie o primeiro.'],
  noNumbers: ['No logical numbers in this group.', 'Nenhum número lógico neste grupo.'],
});
