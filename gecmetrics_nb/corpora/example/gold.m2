S He go to school by bus .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||1
A 4 5|||R:PREP|||on|||REQUIRED|||-NONE-|||1

S I likes the tea .
A 1 2|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||0
A 2 3|||U:DET||||||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||like|||REQUIRED|||-NONE-|||1

S It rain a lot here .
A 1 2|||R:VERB:SVA|||rains|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||rains|||REQUIRED|||-NONE-|||1
A 2 5|||R:WO|||here a lot|||REQUIRED|||-NONE-|||1

S She have two cat .
A 1 2|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||has|||REQUIRED|||-NONE-|||1
A 3 4|||R:NOUN:NUM|||cats|||REQUIRED|||-NONE-|||1

S We was late yesterday .
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||1
