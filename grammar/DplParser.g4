parser grammar DplParser;
options { tokenVocab = DplLexer; }
file : (IDENT | NL)* EOF ;
