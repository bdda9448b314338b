import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  effect: ['Who gets it', 'Quem recebe'],
  newMetacontent: ['New metacontent', 'Novo metaconteúdo'],
  noNumbers: ['The group has no logical numbers.', 'O grupo não tem números lógicos.'],
  noValues: ['None yet. Create the first one.', 'Nenhum ainda. Crie o primeiro.'],
  ofGroup: ['From the group', 'Do grupo'],
  ofNumber: ['Own value', 'Valor próprio'],
  overrides: ['Overrides the value of the group', 'Substitui o valor do grupo'],
  source: ['Source', 'Origem'],
  jsonHelp: ['A text, or JSON such as {"color": "red"}', 'Um texto, ou JSON como {"color": "red"}'],
});
