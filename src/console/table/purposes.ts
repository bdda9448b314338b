import { texts } from '../text';

/** Says what the list of a page is for and what to do first, by the name of the page. */
export const pagePurposes = texts<Partial<Record<string, string>>>({
  alerts: [
    'An alert says since when something is wrong, such as silent terminals or few approved payments. Rules open and close alerts: create a rule first.',
    'Um alerta diz desde quando algo está errado, como terminais em silêncio ou poucos pagamentos aprovados. As regras abrem e encerram alertas: crie antes uma regra.',
  ],
  'app-versions': [
    'A version is one upload of an app. Create the app first, upload a version of it, then allow it for groups and roll it out to terminals.',
    'Uma versão é um envio de um aplicativo. Crie antes o aplicativo, envie uma versão, libere-a para grupos e implante-a nos terminais.',
  ],
  devices: [
    'A device is a terminal with its serial number. Enrol the first ones from a list or a file, and give each a logical number: then it may work.',
    'Um dispositivo é um terminal com seu número de série. Cadastre os primeiros por uma lista ou arquivo e vincule cada um a um número lógico: aí ele pode operar.',
  ],
  files: [
    'A file, such as a logo, comes to terminals with the app versions that need it. Upload it here, then add it to a version.',
    'Um arquivo, como um logotipo, chega aos terminais com as versões de aplicativos que precisam dele. Envie-o aqui e adicione-o a uma versão.',
  ],
  transactions: [
    'Payments and other transactions appear here as terminals send them. A terminal needs a device, a logical number and its token first.',
    'Pagamentos e outras transações aparecem aqui quando os terminais os enviam. Antes, um terminal precisa de dispositivo, número lógico e token.',
  ],
  'alert-rules': [
    'A rule says when people must know that something is wrong, such as 10 silent terminals, and whom to write to.',
    'Uma regra diz quando alguém deve saber que algo está errado, como 10 terminais em silêncio, e a quem escrever.',
  ],
  'logical-numbers': [
    'A logical number is the shop or the till that a terminal works for: it has the software and the settings, and stays when the terminal is replaced.',
    'Um número lógico é a loja ou o caixa em que um terminal trabalha: ele tem o software e as configurações, e fica quando o terminal é trocado.',
  ],
  apps: [
    'An app is what terminals run. Create it here, then upload its versions and give them to groups.',
    'Um aplicativo é o que os terminais executam. Crie-o aqui, envie as versões e dê-as aos grupos.',
  ],
  commands: [
    'A command tells terminals to do something, such as to restart. Select devices in Devices and choose Send command; what became of it on each terminal is shown here.',
    'Um comando manda os terminais fazerem algo, como reiniciar. Selecione dispositivos em Dispositivos e escolha Enviar comando; aqui se vê o que cada terminal fez.',
  ],
  groups: [
    'A group is a set of logical numbers with the same software and settings, such as the shops of a city.',
    'Um grupo é um conjunto de números lógicos com o mesmo software e as mesmas configurações, como as lojas de uma cidade.',
  ],
  metacontents: [
    'A metacontent is a JSON value by key, which programs read for a group or a logical number.',
    'Um metaconteúdo é um valor JSON por chave, que programas leem de um grupo ou número lógico.',
  ],
  notifications: [
    'A notification is a text that terminals show to people, or a message to an app. Send it to a group or to single logical numbers.',
    'Uma notificação é um texto que os terminais mostram às pessoas, ou uma mensagem a um aplicativo. Envie-a a um grupo ou a números lógicos.',
  ],
  parameters: [
    'A parameter is a setting by key, such as timeout, that terminals of a group or of a logical number get.',
    'Um parâmetro é uma configuração por chave, como timeout, que os terminais de um grupo ou número lógico recebem.',
  ],
  webhooks: [
    'A webhook tells a program of yours what happens here: each change is sent to its address.',
    'Um webhook avisa um programa seu do que acontece aqui: cada alteração é enviada ao endereço dele.',
  ],
});
