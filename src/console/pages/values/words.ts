import { pageTexts } from '../../ui/words';

export const useText = pageTexts({
  effect: ['Who gets it', 'Quem recebe'],
  newMetacontent: ['New metacontent', 'Novo metaconteúdo'],
  ofGroup: ['From the group', 'Do grupo'],
  ofNumber: ['Own value', 'Valor próprio'],
  overrides: ['Overrides the value of the group', 'Substitui o valor do grupo'],
  source: ['Source', 'Origem'],
  jsonHelp: ['A text, or JSON such as {"color": "red"}', 'Um texto, ou JSON como {"color": "red"}'],
});
