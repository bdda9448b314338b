import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  addNumber: ['Move a number here', 'Mover um número para cá'],
  attach: ['Attach', 'Anexar'],
  getsNew: ['New numbers get it', 'Números novos recebem'],
  newGroup: ['New group', 'Novo grupo'],
});
