import { texts } from '../../text';

export const words = texts({
  description: ['Description', 'Descrição'],
  effect: ['Who gets it', 'Quem recebe'],
  facts: ['Facts', 'Dados'],
  group: ['Group', 'Grupo'],
  key: ['Key', 'Chave'],
  logicalNumber: ['Logical number', 'Número lógico'],
  metacontents: ['Metacontents', 'Metaconteúdos'],
  newMetacontent: ['New metacontent', 'Novo metaconteúdo'],
  newParameter: ['New parameter', 'Novo parâmetro'],
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
  parameters: ['Parameters', 'Parâmetros'],
  source: ['Source', 'Origem'],
  updated: ['Changed', 'Alterado'],
  value: ['Value', 'Valor'],
  valueHelp: [
    'A text, or JSON such as 5 or {"color": "red"}',
    'Um texto, ou JSON como 5 ou {"color": "red"}',
  ],
});
