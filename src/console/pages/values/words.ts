import { useTexts } from '../../text';
import { pageWords } from '../../ui/words';

const words = pageWords({
  effect: ['Who gets it', 'Quem recebe'],
  newMetacontent: ['New metacontent', 'Novo metaconteúdo'],
  noMetacontents: [
    'No metacontents yet. Create one for a group or a logical number.',
    'Nenhum metaconteúdo ainda. Crie um para um grupo ou um número lógico.',
  ],
  noNumbers: ['The group has no logical numbers.', 'O grupo não tem números lógicos.'],
  noParameters: [
    'No parameters yet. Create one for a group or a logical number.',
    'Nenhum parâmetro ainda. Crie um para um grupo ou um número lógico.',
  ],
  ofGroup: ['From the group', 'Do grupo'],
  ofNumber: ['Own value', 'Valor próprio'],
  owner: ['Belongs to', 'Pertence a'],
  overrides: [
    (value: string) => `Overrides the value of the group: ${value}`,
    (value: string) => `Substitui o valor do grupo: ${value}`,
  ],
  source: ['Source', 'Origem'],
  valueHelp: [
    'A text, or JSON such as 5 or {"color": "red"}',
    'Um texto, ou JSON como 5 ou {"color": "red"}',
  ],
});

export const useText = () => useTexts(words);
