import { texts } from '../../text';

export const words = texts({
  addNumber: ['Move a logical number here', 'Mover um número lógico para cá'],
  appVersions: ['App versions', 'Versões de aplicativos'],
  attach: ['Attach', 'Anexar'],
  created: ['Created', 'Criado'],
  devices: ['Devices', 'Dispositivos'],
  getsNew: ['New numbers get it', 'Números novos recebem'],
  groups: ['Groups', 'Grupos'],
  logicalNumber: ['Logical number', 'Número lógico'],
  logicalNumbers: ['Logical numbers', 'Números lógicos'],
  metacontents: ['Metacontents', 'Metaconteúdos'],
  name: ['Name', 'Nome'],
  newGroup: ['New group', 'Novo grupo'],
  newParameter: ['New parameter', 'Novo parâmetro'],
  noGroups: [
    'No groups yet. Create one, then move logical numbers into it.',
    'Nenhum grupo ainda. Crie um e mova números lógicos para ele.',
  ],
  noNumbers: ['No logical numbers in this group.', 'Nenhum número lógico neste grupo.'],
  noVersions: ['No app versions in this group.', 'Nenhuma versão neste grupo.'],
  noParameters: ['No parameters in this group.', 'Nenhum parâmetro neste grupo.'],
  parameters: ['Parameters', 'Parâmetros'],
  updated: ['Changed', 'Alterado'],
});
